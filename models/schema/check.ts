import { addFormats, Ajv2020, type ErrorObject, type ValidateFunction } from '#ajv';
import type { Static, TSchema } from '#typebox';
import { findIllFormedText, ILL_FORMED } from '../../platform/text/well-formed.js';

/** One fault in a value: where (dotted path, empty for the whole value), and what was expected. */
export interface Fault {
  readonly field: string;
  readonly message: string;
}

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: readonly Fault[] };

/** Every schema that has a check, so that a test can find out whether it is valid JSON Schema. */
export const CHECKED_SCHEMAS: TSchema[] = [];

const instances = new Map<boolean, Ajv2020>();

function ajvFor(allErrors: boolean): Ajv2020 {
  const known = instances.get(allErrors);
  if (known !== undefined) return known;
  // Two thirds of the time to the first check would go into checking the schemas themselves, which a test does, and
  // into shortening the generated code.
  const made = new Ajv2020({
    allErrors,
    strict: false,
    verbose: true,
    validateSchema: false,
    code: { optimize: false },
  });
  addFormats(made, ['date', 'date-time', 'uri']);
  instances.set(allErrors, made);
  return made;
}

/**
 * Makes a schema into a check, compiled when it is first used: most commands check one or two kinds of value, and
 * compiling those of all modules took a fifth of a command's start. Ajv is used only here, so that the type, the check
 * and the published contract come from the same TypeBox schema.
 *
 * @param everyFault false to stop at the first fault: for requests from outside, so that a body with a hundred thousand
 * faults costs no time
 * @param wellFormed false to accept texts with unpaired surrogates: for data stored before such texts were rejected
 * @returns a function from any value to the typed value, or to the faults found in it
 */
export function checker<S extends TSchema>(
  schema: S,
  { everyFault = true, wellFormed = true } = {},
): (value: unknown) => Checked<Static<S>> {
  CHECKED_SCHEMAS.push(schema);
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajvFor(everyFault).compile(schema);
    if (!validate(value)) return { ok: false, faults: distinct(collapseUnions(validate.errors ?? []).map(toFault)) };
    const illFormed = wellFormed ? findIllFormedText(knownFields(schema, value), everyFault ? undefined : 1) : [];
    if (illFormed.length > 0) return { ok: false, faults: illFormed.map((field) => ({ field, message: ILL_FORMED })) };
    return { ok: true, value: value as Static<S> };
  };
}

/** Returns the fields of a value that the schema names. Other fields are ignored, or already are faults. */
function knownFields(schema: TSchema, value: unknown): unknown {
  const { properties } = schema as { readonly properties?: object };
  if (properties === undefined) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  // By the schema's names: an untrusted value may have any number of others.
  return Object.fromEntries(
    Object.keys(properties).flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : [])),
  );
}

/** Returns the value if it passed the check. @throws Error that names every fault */
export function requireValid<T>(checked: Checked<T>): T {
  if (checked.ok) return checked.value;
  throw new Error(checked.faults.map(({ field, message }) => `${field} ${message}`).join('; '));
}

/** Removes duplicates: two rules with the same expectation count as one fault. */
function distinct(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.field}\n${fault.message}`, fault])).values()];
}

/**
 * Replaces the errors of every branch or item by one if a value fits no branch of a described union, or lacks a
 * described item.
 */
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

/** Returns the message for a pattern. In the schemas `\S` means "not blank"; other patterns may have a description. */
function patternMessage(schema: unknown): string {
  const { pattern, description } = schema as { pattern?: string; description?: string };
  if (pattern === '\\S') return 'must not be blank';
  return description === undefined ? `must match ${pattern}` : `must be ${description}`;
}
