import { Type, type Static } from '#typebox';
import { keyOf } from '../feed/field-names.js';
import { USUAL_TEXT_LENGTH } from '../feed/text-warnings.js';
import { gapsOf, parseTemplate, type Template } from './template.js';

/** A mapping as its file writes it. */
export const MappingFile = Type.Object(
  {
    /** A known mapping that this one changes. */
    extends: Type.Optional(Type.Literal('google')),
    /** Templates by field, nested fields by their dotted name. */
    fields: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()], { description: 'a text' })),
    /** Values of columns whose rows are left out. */
    leaveOut: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
    /** A column: of the rows that share a value in it, only the first is used. */
    onePer: Type.Optional(Type.String({ minLength: 1 })),
    /** Characters at which categories are split. */
    categorySeparator: Type.Optional(Type.String({ minLength: 1 })),
    maxTextLength: Type.Optional(Type.Integer({ minimum: 20, maximum: 4000 })),
  },
  { additionalProperties: false },
);
export type MappingFile = Static<typeof MappingFile>;

/** How the rows of a feed with other columns become those of a feed. */
export interface Mapping {
  readonly fields: ReadonlyMap<string, Template>;
  readonly leaveOut: readonly { readonly gap: readonly string[]; readonly values: ReadonlySet<string> }[];
  readonly onePer: readonly string[] | null;
  readonly categorySeparator: string;
  readonly maxTextLength: number;
  /** Keys of the columns that it reads. */
  readonly columns: ReadonlySet<string>;
}

/** Makes the content of a mapping file into a mapping. */
export function toMapping(file: MappingFile): Mapping {
  const fields = new Map(Object.entries(file.fields).map(([field, text]) => [field, parseTemplate(String(text))]));
  const leaveOut = Object.entries(file.leaveOut ?? {}).map(([column, values]) => ({
    gap: alternatives(column),
    values: new Set(values.map(comparable)),
  }));
  const onePer = file.onePer === undefined ? null : alternatives(file.onePer);
  const gaps = [...[...fields.values()].flatMap(gapsOf), ...leaveOut.map(({ gap }) => gap), onePer ?? []];
  return {
    fields,
    leaveOut,
    onePer,
    categorySeparator: file.categorySeparator ?? '|',
    maxTextLength: file.maxTextLength ?? USUAL_TEXT_LENGTH,
    columns: new Set(gaps.flat().map(keyOf)),
  };
}

/** Returns a value as `leaveOut` compares it: `out_of_stock` and `Out of stock` are the same. */
export function comparable(value: string): string {
  return value.trim().toLowerCase().replaceAll('_', ' ');
}

/** Adds what a mapping changes to the one that it extends. */
export function extend(base: MappingFile, changes: MappingFile): MappingFile {
  return {
    ...base,
    ...changes,
    fields: { ...base.fields, ...changes.fields },
    leaveOut: { ...base.leaveOut, ...changes.leaveOut },
  };
}

function alternatives(names: string): readonly string[] {
  return names.split('|').map((name) => name.trim());
}
