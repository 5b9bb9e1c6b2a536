/** Makes a JSON value that conforms to a JSON Schema, for structured output and for tool arguments. */

/** Suggests a value for a string field; undefined = the default. */
export type Suggest = (field: string) => string | undefined

type Schema = Record<string, unknown>

/**
 * A small value with every required field. Supports types, enum, const, default, the string formats, bounds, `items`,
 * `anyOf`/`oneOf`/`allOf` and local `$ref`; patterns are not supported.
 */
export function sample(schema: unknown, suggest: Suggest = () => undefined): unknown {
  return valueFor({ root: isSchema(schema) ? schema : {}, suggest, left: maxValues }, schema, '', 0)
}

interface Context {
  root: Schema
  suggest: Suggest
  /** How many more values may be made: bounds what a caller's schema can produce. */
  left: number
}

const maxDepth = 24
/** From this depth on everything is as short as possible, so that recursive schemas end. */
const shallow = 6
const maxValues = 2000
const maxText = 10_000
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)
const schemasIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function valueFor(context: Context, given: unknown, field: string, depth: number): unknown {
  if (!isSchema(given) || depth > maxDepth || context.left-- <= 0) return null
  const schema = resolved(context, given)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return chosen(context, schema.enum, field)
  if ('default' in schema) return schema.default
  const choices = schemasIn(schema.anyOf ?? schema.oneOf)
  if (choices.length > 0) return valueFor(context, depth < shallow ? choices[0] : simplest(choices), field, depth + 1)
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(context, schema, depth)
    case 'array':
      return arrayOf(context, schema, field, depth)
    case 'integer':
      return numberOf(schema, true)
    case 'number':
      return numberOf(schema, false)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return stringOf(context, schema, field)
  }
}

/** Resolves a local reference and merges `allOf`. */
function resolved(context: Context, schema: Schema): Schema {
  let found = schema
  for (let hops = 0; typeof found.$ref === 'string' && hops < maxDepth; hops++) {
    const path = found.$ref.replace(/^#\/?/, '').split('/').filter(Boolean)
    const target = path.reduce<unknown>(
      (at, step) => (isSchema(at) ? at[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      context.root,
    )
    found = isSchema(target) ? target : {}
  }
  const parts = schemasIn(found.allOf).filter(isSchema)
  if (parts.length === 0) return found
  const all = [found, ...parts]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => part.properties)),
    required: all.flatMap((part) => schemasIn(part.required)),
  }
}

function typeOf(schema: Schema): unknown {
  if (Array.isArray(schema.type)) return schema.type.find((type) => type !== 'null') ?? 'null'
  if (schema.type !== undefined) return schema.type
  if (isSchema(schema.properties)) return 'object'
  return schema.items === undefined ? 'string' : 'array'
}

/** The choice that does not recurse, if there is one. */
const simplest = (choices: unknown[]) => choices.find((choice) => isSchema(choice) && choice.type === 'null') ?? choices.at(-1)

function objectOf(context: Context, schema: Schema, depth: number): Schema {
  const properties = isSchema(schema.properties) ? schema.properties : {}
  const required = schemasIn(schema.required).filter((name) => typeof name === 'string')
  return Object.fromEntries(required.map((name) => [name, valueFor(context, properties[name] ?? {}, name, depth + 1)]))
}

function arrayOf(context: Context, schema: Schema, field: string, depth: number): unknown[] {
  const fewest = typeof schema.minItems === 'number' ? schema.minItems : 0
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : 100
  const requested = depth < shallow ? Math.max(1, fewest) : fewest
  const length = Math.min(requested, most, 100)
  return Array.from({ length }, () => valueFor(context, schema.items ?? {}, field, depth + 1))
}

const numeric = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

function numberOf(schema: Schema, whole: boolean): number {
  const step = numeric(schema.multipleOf) ?? (whole ? 1 : 0.5)
  const least = numeric(schema.minimum) ?? Number.NEGATIVE_INFINITY
  const above = numeric(schema.exclusiveMinimum) ?? Number.NEGATIVE_INFINITY
  const most = numeric(schema.maximum) ?? Number.POSITIVE_INFINITY
  const below = numeric(schema.exclusiveMaximum) ?? Number.POSITIVE_INFINITY
  const fits = (value: number) => value >= least && value > above && value <= most && value < below
  const start = fits(step) ? step : Math.ceil(Math.max(least, above) / step) * step
  if (fits(start)) return start
  if (fits(start + step)) return start + step
  const end = Math.floor(Math.min(most, below) / step) * step
  if (fits(end)) return end
  if (fits(end - step)) return end - step
  // No multiple of the step is in a range this narrow: use the middle, unless integers are required.
  const middle = (Math.max(least, above) + Math.min(most, below)) / 2
  return Number.isFinite(middle) ? middle : 0
}

const formats: Record<string, string> = {
  date: '2026-01-31',
  time: '12:00:00Z',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '7f1e3a52-8c3b-4d6e-9a55-0b2c4d6e8f10',
}

function stringOf(context: Context, schema: Schema, field: string): string {
  const format = typeof schema.format === 'string' ? formats[schema.format] : undefined
  const text = format ?? context.suggest(field) ?? (field === '' ? 'demo' : `demo ${field}`)
  const least = Math.min(maxText, numeric(schema.minLength) ?? 0)
  const most = numeric(schema.maxLength) ?? text.length + least
  return text.padEnd(least, '.').slice(0, most)
}

/** The enum value that the text mentions, else the first. */
function chosen(context: Context, values: unknown[], field: string): unknown {
  const suggested = context.suggest(field)?.toLowerCase()
  return values.find((value) => typeof value === 'string' && suggested?.includes(value.toLowerCase())) ?? values[0]
}
