import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import { findIllFormedText, ILL_FORMED } from '../../platform/text/well-formed.js';

/** One thing wrong with a value: where (dotted path, empty for the whole) and what was expected. */
export interface Fault {
  readonly field: string;
  readonly message: string;
}

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly Fault[] };

const ajvFor = (allErrors: boolean) =>
  addFormats.default(new Ajv2020({ allErrors, strict: false, verbose: true }), ['date', 'date-time', 'uri']);
const thorough = ajvFor(true);
const quick = ajvFor(false);

/**
 * Compiles a schema once into a check. The one place where Ajv is used, so that the type, the check and
 * the published contract come from the same TypeBox schema.
 *
 * @param everyFault false for what strangers send: the first fault is enough, and a body of a hundred thousand costs no time
 * @param wellFormed false where a text with half a character in it is no reason to refuse the whole: in what was stored
 * before such texts were refused
 * @returns a function from any value to the typed value, or to the faults found in it
 */
export function checker<S extends TSchema>(
  schema: S,
  { everyFault = true, wellFormed = true } = {},
): (value: unknown) => Checked<Static<S>> {
  const validate = (everyFault ? thorough : quick).compile(schema);
  return (value) => {
    if (!validate(value)) return { ok: false, faults: distinct(collapseUnions(validate.errors ?? []).map(toFault)) };
    const halves = wellFormed ? findIllFormedText(knownFields(schema, value), everyFault ? undefined : 1) : [];
    if (halves.length > 0) return { ok: false, faults: halves.map((field) => ({ field, message: ILL_FORMED })) };
    return { ok: true, value: value as Static<S> };
  };
}

/** What a schema knows of a value: fields that it does not name are ignored, or faults already. */
function knownFields(schema: TSchema, value: unknown): unknown {
  const { properties } = schema as { readonly properties?: object };
  if (properties === undefined) return value;
  return Object.fromEntries(Object.entries(value as object).filter(([name]) => Object.hasOwn(properties, name)));
}

/** The value of a check that it passed. @throws Error naming every fault */
export function requireValid<T>(checked: Checked<T>): T {
  if (checked.ok) return checked.value;
  throw new Error(checked.faults.map(({ field, message }) => `${field} ${message}`).join('; '));
}

/** Two rules that expect the same are one fault. */
function distinct(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\n${fault.message}`, fault])).values()];
}

/** What fits no branch of a described union, or lacks a described item, has that one fault instead of every branch's or item's. */
function collapseUnions(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(
    ({ keyword, parentSchema, schema }) =>
      (keyword === 'anyOf' && descriptionOf(parentSchema) !== undefined) ||
      (keyword === 'contains' && descriptionOf(schema) !== undefined),
  );
  return errors.filter((error) => !unions.some(({ schemaPath }) => error.schemaPath.startsWith(`${schemaPath}/`)));
}

function toFault(error: ErrorObject): Fault {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  const missing = error.keyword === 'required' ? String(error.params['missingProperty']) : undefined;
  const field = [path, missing].filter(Boolean).join('.');
  if (missing !== undefined) return { field, message: 'is required' };
  if (error.keyword === 'anyOf')
    return { field, message: `must be ${descriptionOf(error.parentSchema) ?? error.message}` };
  if (error.keyword === 'contains')
    return { field, message: `must contain ${descriptionOf(error.schema) ?? 'another item'}` };
  if (error.keyword === 'additionalProperties') {
    return {
      field: [path, String(error.params['additionalProperty'])].filter(Boolean).join('.'),
      message: 'is not a known field',
    };
  }
  if ((error.keyword === 'format' || error.keyword === 'enum') && descriptionOf(error.parentSchema) !== undefined) {
    return { field, message: `must be ${descriptionOf(error.parentSchema)}` };
  }
  if (error.keyword === 'pattern') return { field, message: patternMessage(error.parentSchema) };
  return { field, message: error.message ?? error.keyword };
}

function descriptionOf(schema: unknown): string | undefined {
  return (schema as { description?: string } | undefined)?.description;
}

/** `\S` is how the schemas say "not blank"; other patterns carry a description or speak for themselves. */
function patternMessage(schema: unknown): string {
  const { pattern, description } = schema as { pattern?: string; description?: string };
  if (pattern === '\\S') return 'must not be blank';
  return description === undefined ? `must match ${pattern}` : `must be ${description}`;
}
