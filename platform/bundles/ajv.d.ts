export { Ajv2020, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

import type formats from 'ajv-formats';
export declare const addFormats: typeof formats.default;
