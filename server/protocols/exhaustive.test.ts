/**
 * A canonical field that a writer does not know must not compile. The sources are copied, a field is planted into each of
 * several canonical types, and the compiler has to name the writer of every dialect for every one of them.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dialect, dialects } from '#shared/ids'

const root = join(import.meta.dir, '../..')

/** Where each field is planted: right behind this text of the canonical conversation. */
const plants = {
  Sampling: 'export interface Sampling {\n',
  Output: 'export interface Output {\n',
  ReasoningWish: 'export interface ReasoningWish {\n',
  TextPart: "export interface TextPart {\n  kind: 'text'\n",
  CallPart: "export interface CallPart {\n  kind: 'call'\n",
  FunctionTool: "      kind: 'function'\n",
}
type Planted = keyof typeof plants

/** The files that write a dialect's requests. */
const writers: Record<Dialect, RegExp> = {
  chat: /^server\/protocols\/openai\/(chat\/request-write|sampling)/,
  completions: /^server\/protocols\/openai\/(completions\/request-write|sampling)/,
  responses: /^server\/protocols\/openai\/responses\/(request-write|reasoning)/,
  messages: /^server\/protocols\/anthropic\/messages\/request-write/,
  gemini: /^server\/protocols\/gemini\/generate-content\/request-write/,
}

/** Only requests of its own dialect are written as Completions, and those have none of these. */
const absent: Partial<Record<Dialect, readonly Planted[]>> = { completions: ['ReasoningWish', 'CallPart', 'FunctionTool'] }

const cells = (Object.keys(plants) as Planted[]).flatMap((planted) =>
  dialects.filter((dialect) => !absent[dialect]?.includes(planted)).map((dialect) => ({ planted, dialect })),
)

/** The name of a planted field, which no other has. */
const nameOf = (planted: Planted) => `minP${planted}`

const folders: string[] = []
let errors: string[]

beforeAll(async () => {
  errors = await compiled(withPlants)
}, 60_000)

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** The lines of the compiler about a copy of the sources; `change` is made to the canonical conversation of the copy. */
async function compiled(change: (source: string) => string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-exhaustive-'))
  folders.push(folder)
  const isSource = (path: string) => !/fixtures|\.test\.ts$|\.txt$/.test(path)
  for (const room of ['server/canonical', 'server/protocols', 'server/wire', 'shared'])
    cpSync(join(root, room), join(folder, room), { recursive: true, filter: isSource })
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(root, file), join(folder, file))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const conversation = join(folder, 'server/canonical/conversation.ts')
  writeFileSync(conversation, change(readFileSync(conversation, 'utf8')))
  const config = { extends: './tsconfig.json', include: [], files: ['server/protocols/index.ts'] }
  writeFileSync(join(folder, 'tsconfig.writers.json'), JSON.stringify(config))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const run = Bun.spawn([process.execPath, compiler, '-p', 'tsconfig.writers.json', '--pretty', 'false'], { cwd: folder, stdout: 'pipe' })
  const output = await new Response(run.stdout).text()
  await run.exited
  // What belongs to an error is indented under it.
  const lines = output.split(/\n(?!\s)/)
  return lines.filter((error) => error.includes('error TS')).map(shortened)
}

/** The file of an error and what is missing there; any other error as it is. */
function shortened(error: string): string {
  const [, file, missing] = /^([^(]+)\([\s\S]*Property '(\w+)' is missing/.exec(error) ?? []
  return missing === undefined ? error : `${file}: ${missing}`
}

const withPlants = (source: string) =>
  Object.entries(plants).reduce((text, [planted, place]) => {
    expect(text.split(place)).toHaveLength(2)
    return text.replace(place, `${place}  ${nameOf(planted as Planted)}?: number\n`)
  }, source)

test('without a plant everything compiles', async () => {
  expect(await compiled((source) => source)).toEqual([])
}, 60_000)

test.each(cells)('a field of $planted that the $dialect writer does not know does not compile', ({ planted, dialect }) => {
  expect(errors.filter((line) => line.endsWith(`: ${nameOf(planted)}`)).find((line) => writers[dialect].test(line)) ?? errors).toBeString()
})
