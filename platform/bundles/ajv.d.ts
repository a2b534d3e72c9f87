export { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

import formats from 'ajv-formats';
export declare const addFormats: typeof formats.default;
