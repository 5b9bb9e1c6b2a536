/**
 * The type declarations of the installed SDKs as plain data, read with the TypeScript compiler. Only what goes over the wire counts:
 * methods, accessors and functions are omitted.
 */
import { API, type Checker, type Project, SymbolFlags, type Symbol as TsSymbol, type Type, TypeFlags } from 'typescript/unstable/async'

/** One type. Recursive types are cycles in this graph: walking it must track visited nodes. */
export type Shape =
  | { kind: 'object'; id: number; name: string; fields: Field[]; open: boolean }
  | { kind: 'union'; members: Shape[] }
  | { kind: 'literal'; value: string | number | boolean }
  | { kind: 'list'; item: Shape }
  | { kind: 'text' | 'number' | 'boolean' | 'any' }

/** One property of an object. */
export interface Field {
  name: string
  optional: boolean
  /** May be null. */
  nullable: boolean
  shape: Shape
}

const folder = `${import.meta.dirname}/__sdk`
const files = { config: `${folder}/tsconfig.json`, roots: `${folder}/roots.ts` }

/** Reads the types of these TypeScript expressions, by their names. `imports` are lines in front of them. */
export async function sdkTypes<Name extends string>(
  imports: readonly string[],
  expressions: Readonly<Record<Name, string>>,
): Promise<Record<Name, Shape>> {
  const lines = Object.entries(expressions).map(([name, expression]) => `  ${JSON.stringify(name)}: ${expression}`)
  const options = {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'esnext',
    strict: true,
    skipLibCheck: true,
    types: [],
    noEmit: true,
  }
  const sources: Record<string, string> = {
    [files.config]: JSON.stringify({ compilerOptions: options, files: ['roots.ts'] }),
    [files.roots]: [...imports, 'export interface Roots {', ...lines, '}'].join('\n'),
  }
  const api = new API({
    cwd: import.meta.dirname,
    fs: { readFile: (path) => sources[path], fileExists: (path) => (path in sources ? true : undefined) },
  })
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [files.config] })
    const [project] = snapshot.getProjects()
    if (!project) throw new Error('The compiler opened no project.')
    return await shapesOf(project, Object.keys(expressions) as Name[])
  } finally {
    await api.close()
  }
}

async function shapesOf<Name extends string>({ checker }: Project, names: readonly Name[]): Promise<Record<Name, Shape>> {
  const roots = await checker.resolveName('Roots', SymbolFlags.Interface, { document: files.roots, position: 0 })
  if (!roots) throw new Error('The compiler does not know the roots.')
  const declared = await checker.getDeclaredTypeOfSymbol(roots)
  const properties = await checker.getPropertiesOfType(declared)
  const read = shapeReader(checker)
  const shapes = await Promise.all(
    names.map(async (name): Promise<[Name, Shape]> => {
      const property = properties.find((one) => one.name === name)
      const type = property && (await checker.getTypeOfSymbol(property))
      if (!type || type.isErrorType()) throw new Error(`The SDKs declare no ${name}.`)
      return [name, await read(type)]
    }),
  )
  return Object.fromEntries(shapes) as Record<Name, Shape>
}

/** Reads each type once; a type requested while it is being read is the same object, filled later. */
function shapeReader(checker: Checker): (type: Type) => Promise<Shape> {
  const known = new Map<number, Shape>()
  const pending: Promise<void>[] = []

  async function read(type: Type): Promise<Shape> {
    const shape = await open(type)
    while (pending.length > 0) await pending.pop()
    return shape
  }

  async function open(type: Type): Promise<Shape> {
    const seen = known.get(type.id)
    if (seen) return seen
    const plain = plainShape(type)
    if (plain) return plain
    if (type.isUnionType()) return unionOf(await Promise.all((await type.getTypes()).filter(isSaid).map(open)))
    if (type.isIntersectionType()) {
      // `string & {}` keeps a list of literals open.
      const simple = (await type.getTypes()).map(plainShape).find((part) => part !== undefined)
      if (simple) return simple
    }
    if (type.isTypeReference() && (await checker.isArrayLikeType(type))) {
      const [item] = await checker.getTypeArguments(type)
      return { kind: 'list', item: item ? await open(item) : { kind: 'any' } }
    }
    return objectOf(type)
  }

  async function objectOf(type: Type): Promise<Shape> {
    const symbol = type.getAliasSymbol ? ((await type.getAliasSymbol()) ?? (await type.getSymbol())) : undefined
    const again = known.get(type.id)
    if (again) return again
    const shape: Shape = { kind: 'object', id: type.id, name: symbol?.name ?? '', fields: [], open: false }
    known.set(type.id, shape)
    pending.push(fill(type, shape))
    return shape
  }

  async function fill(type: Type, shape: Shape & { kind: 'object' }): Promise<void> {
    const [properties, indexes] = await Promise.all([checker.getPropertiesOfType(type), checker.getIndexInfosOfType(type)])
    shape.open = indexes.length > 0
    const own = properties.filter(isData)
    const types = own.length > 0 ? await checker.getTypeOfSymbol(own) : []
    const fields = await Promise.all(own.map((property, at) => fieldOf(property, types[at])))
    shape.fields.push(...fields.filter((field) => field !== undefined))
  }

  async function fieldOf(property: TsSymbol, type: Type | undefined): Promise<Field | undefined> {
    if (!type || (type.flags & (TypeFlags.Undefined | TypeFlags.Never)) !== 0 || (await isFunction(type))) return undefined
    const members = type.isUnionType() ? await type.getTypes() : [type]
    const nullable = members.some(({ flags }) => (flags & TypeFlags.Null) !== 0)
    return { name: property.name, optional: (property.flags & SymbolFlags.Optional) !== 0, nullable, shape: await open(type) }
  }

  async function isFunction(type: Type): Promise<boolean> {
    if (!type.isObjectType() || type.isTypeReference()) return false
    const symbol = await type.getSymbol()
    return symbol !== undefined && (symbol.flags & (SymbolFlags.Function | SymbolFlags.Method)) !== 0
  }

  return read
}

const isSaid = ({ flags }: Type) => (flags & (TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Never | TypeFlags.Void)) === 0
const isData = ({ flags }: TsSymbol) => (flags & (SymbolFlags.Method | SymbolFlags.Accessor)) === 0

function plainShape(type: Type): Shape | undefined {
  const { flags } = type
  if (type.isLiteralType() && typeof type.value !== 'bigint') return { kind: 'literal', value: type.value }
  if (flags & TypeFlags.StringLike) return { kind: 'text' }
  if (flags & TypeFlags.NumberLike) return { kind: 'number' }
  if (flags & TypeFlags.Boolean) return { kind: 'boolean' }
  if (flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive)) return { kind: 'any' }
  return undefined
}

/** Flat, with both booleans as one, and without doubles of plain members. */
function unionOf(members: readonly Shape[]): Shape {
  const flat = members.flatMap((member) => (member.kind === 'union' ? member.members : [member]))
  const seen = new Set<unknown>()
  const distinct = flat.filter((member) => {
    const key = member.kind === 'object' || member.kind === 'list' ? member : JSON.stringify(member)
    return seen.has(key) ? false : seen.add(key)
  })
  const [only] = distinct
  return distinct.length === 1 && only ? only : { kind: 'union', members: distinct }
}
