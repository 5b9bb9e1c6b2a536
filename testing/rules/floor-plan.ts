/**
 * Checks a set of source files against a floor plan: which room may import which, and with which packages and impurities. The plan itself
 * is data in `rooms.ts`.
 */
import { type Found, type Power, type Source, scanSource } from './source-scan.ts'

/** What one room may do. */
export interface Room {
  /** Rooms that it may import, by name. A name ending in `/*` stands for every room of that shape. */
  may: readonly string[]
  /** Packages and built-in modules, each including its submodules (`node:` = all of Node's). */
  packages?: readonly string[]
  powers?: readonly Power[]
  /**
   * May be imported by relative path, because a tool that loads it does not resolve aliases. A top-level folder's own files may always
   * import their rooms so.
   */
  relative?: boolean
}

/** The floor plan. */
export interface Plan {
  /**
   * In dependency order: a room may only import rooms listed before it. A folder with a row of its own is a room of its own; the most
   * specific row applies, so a room is split by listing the folders inside it.
   */
  rooms: Readonly<Record<string, Room>>
  /** The maximum number of source files in one folder, not counting tests. */
  crowd: number
  /** What a test may do in addition to its room's rights. */
  tests: Room
  /** Alias prefixes and their folders, such as `#wire/` for `server/wire/`. */
  aliases: Readonly<Record<string, string>>
  /** Packages that `npm start` installs, and those that only tests and tasks use. */
  dependencies: readonly string[]
  devDependencies: readonly string[]
  /** Files that may consist of re-exports. */
  registries: readonly string[]
  /** The maximum number of lines of a file. */
  limit(path: string): number
}

/** The kinds of violations. */
export type Rule = 'room' | 'import' | 'path' | 'package' | 'power' | 'length' | 'circle' | 'barrel' | 'name' | 'crowd'

/** One violation of the plan. */
export interface Violation {
  rule: Rule
  /** `path:line: what is wrong` */
  text: string
}

/** Every violation of the plan. `files` maps paths from the repository's root to their text. */
export function judge(plan: Plan, files: ReadonlyMap<string, string>): Violation[] {
  const sources = [...files].map(([path, text]) => [path, scanSource(path, text)] as const)
  const graph = new Map(sources.map(([path, source]) => [path, source.imports.flatMap(({ what }) => resolve(plan, path, what) ?? [])]))
  return [...sources.flatMap(([path, source]) => judgeFile(plan, path, source)), ...circles(graph), ...crowds(plan, files.keys())]
}

function judgeFile(plan: Plan, path: string, source: Source): Violation[] {
  const found: Violation[] = []
  const report = (rule: Rule, line: number, what: string) => found.push({ rule, text: `${path}:${line}: ${what}` })
  const name = roomOf(plan, path)
  const room = plan.rooms[shapeOf(plan, name)]
  if (room === undefined) {
    report('room', 1, `there is no room ${name}`)
    return found
  }
  const test = isTest(path)
  for (const { what, line } of source.imports) {
    const broken = judgeImport(plan, path, what)
    if (broken !== undefined) report(broken[0], line, broken[1])
  }
  if (!test) {
    const allowed = new Set(room.powers)
    for (const { what, line } of once(source.powers)) if (!allowed.has(what)) report('power', line, `${name} may not touch ${what}`)
  }
  if (source.lines > plan.limit(path)) report('length', source.lines, `more than ${plan.limit(path)} lines`)
  if (source.onlyHandsOn && !plan.registries.includes(path)) report('barrel', 1, 'only hands on what others export')
  if (!isWellNamed(path)) report('name', 1, 'files are kebab-case and named for what they hold')
  return found
}

type Broken = [Rule, string]

function judgeImport(plan: Plan, path: string, what: string): Broken | undefined {
  const from = roomOf(plan, path)
  const target = resolve(plan, path, what)
  if (target === undefined) return judgePackage(plan, path, what)
  const to = roomOf(plan, target)
  const home = from === to
  const room = roomFor(plan, path)
  const byAlias = what.startsWith('#')
  if (home && byAlias) return ['path', `${what} stays home: write it relative`]
  const visible = byAlias || room.relative || to === 'project' || to.startsWith(`${from}/`)
  if (!home && !visible) return ['path', `${what} crosses into ${to}: use its alias`]
  return home || allows(room.may, shapeOf(plan, to), to) ? undefined : ['import', `${from} may not import ${to}`]
}

function judgePackage(plan: Plan, path: string, what: string): Broken | undefined {
  const test = isTest(path)
  const allowed = roomFor(plan, path).packages ?? []
  const builtIn = /^(node|bun):|^bun$/.test(what)
  const bare = /^(@[^/]+\/)?[^/]+/.exec(what)?.[0] ?? what
  const dev = plan.devDependencies.includes(bare)
  if (!(test && dev) && !allowed.some((entry) => what === entry || what.startsWith(entry.endsWith(':') ? entry : `${entry}/`))) {
    return ['package', `${roomOf(plan, path)} may not import ${what}`]
  }
  const onlyForTests = test || /^(e2e|bench|testing)(\/|$)/.test(roomOf(plan, path)) || /\.config\.ts$/.test(path)
  if (builtIn || plan.dependencies.includes(bare) || (dev && onlyForTests)) return undefined
  return ['package', `${bare} is not among the ${dev ? 'run-time ' : ''}dependencies of package.json`]
}

/** The rights of a file: those of its room; a test also has those of all tests, and may import its sibling rooms in a split room. */
function roomFor(plan: Plan, path: string): Room {
  const name = roomOf(plan, path)
  const room = plan.rooms[shapeOf(plan, name)] ?? { may: [] }
  if (!isTest(path)) return room
  const parent = name.slice(0, name.lastIndexOf('/') + 1)
  const beside = parent.split('/').length > 2 ? Object.keys(plan.rooms).filter((other) => other.startsWith(parent)) : []
  return { ...room, may: [...room.may, ...beside, ...plan.tests.may], packages: [...(room.packages ?? []), ...(plan.tests.packages ?? [])] }
}

const allows = (may: readonly string[], shape: string, room: string) => may.includes(shape) || may.includes(room)

/** The path that a module name refers to, or undefined for a package. */
function resolve(plan: Plan, from: string, what: string): string | undefined {
  if (/^\.{1,2}\//.test(what)) return new URL(what, `file:///${from}`).pathname.slice(1)
  const alias = Object.keys(plan.aliases).find((prefix) => what.startsWith(prefix))
  if (alias === undefined) return undefined
  const rest = what.slice(alias.length)
  return `${plan.aliases[alias]}${rest}${/\.\w+$/.test(rest) ? '' : '.ts'}`
}

/**
 * The room of a path: its innermost folder with a row in the plan, otherwise the folder that would need one; for loose files their
 * top-level folder. A split room has no other folders than those with a row.
 */
export function roomOf({ rooms }: Pick<Plan, 'rooms'>, path: string): string {
  const folders = path.split('/').slice(0, -1)
  const [root = 'project', ...inner] = folders
  if (inner.length === 0) return root
  for (let depth = folders.length; depth > 1; depth--) {
    const folder = folders.slice(0, depth).join('/')
    if (folder in rooms || isOneOfMany(rooms, folder)) return missingPart(rooms, folder, folders) ?? folder
  }
  // Top-level folders without rows for their subfolders are one room.
  return Object.keys(rooms).some((room) => room.startsWith(`${root}/`)) && !flat.has(root) ? `${root}/${inner[0]}` : root
}

/** Top-level folders whose subfolders are rooms only if they have a row. */
const flat: ReadonlySet<string> = new Set(['shared', 'e2e'])

/** Whether a row such as `server/protocols/*` covers this folder. */
const isOneOfMany = (rooms: Plan['rooms'], folder: string) => `${folder.slice(0, folder.lastIndexOf('/'))}/*` in rooms

/** The folder without a row inside a split room. */
function missingPart(rooms: Plan['rooms'], room: string, folders: readonly string[]): string | undefined {
  const part = folders[room.split('/').length]
  const isSplit = Object.keys(rooms).some((other) => other.startsWith(`${room}/`))
  return part !== undefined && isSplit && !flat.has(room) ? `${room}/${part}` : undefined
}

/** The plan's row for a room: its own, or the `/*` row that covers it. */
function shapeOf(plan: Plan, room: string): string {
  const pattern = `${room.slice(0, room.lastIndexOf('/'))}/*`
  return room in plan.rooms ? room : pattern
}

const isTest = (path: string) => /\.(test|e2e)\.tsx?$/.test(path)

function isWellNamed(path: string): boolean {
  const words = path.split('/').flatMap((part) => part.replace(/\..*$/, '').split('-'))
  const kebab = path.split('/').every((part) => /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(part))
  return kebab && !words.some((word) => /^(utils?|helpers?|common|managers?|dto)$/.test(word))
}

function once<T>(found: readonly Found<T>[]): Found<T>[] {
  return found.filter(({ what }, index) => found.findIndex((other) => other.what === what) === index)
}

/** One violation for every folder with more files than the plan allows. */
function crowds({ crowd }: Plan, paths: Iterable<string>): Violation[] {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    if (!isTest(path)) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const full = [...counts].filter(([, count]) => count > crowd)
  return full.map(([folder, count]) => ({ rule: 'crowd', text: `${folder}: ${count} files in one folder, more than ${crowd}` }))
}

/** One violation for every import that closes a cycle. */
function circles(graph: ReadonlyMap<string, string[]>): Violation[] {
  const found: Violation[] = []
  const done = new Set<string>()
  const trail: string[] = []
  const walk = (path: string) => {
    if (trail.includes(path)) {
      found.push({ rule: 'circle', text: [...trail.slice(trail.indexOf(path)), path].join(' -> ') })
      return
    }
    if (done.has(path)) return
    trail.push(path)
    for (const next of graph.get(path) ?? []) walk(next)
    trail.pop()
    done.add(path)
  }
  for (const path of graph.keys()) walk(path)
  return found
}
