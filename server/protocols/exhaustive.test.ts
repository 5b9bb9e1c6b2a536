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

type CanonicalFile = 'conversation' | 'conversation-event' | 'marks'

/** Where each field is planted: right after this text of this file of the canonical room. */
const plants = {
  Sampling: ['conversation', 'export interface Sampling {\n'],
  Output: ['conversation', 'export interface Output {\n'],
  ReasoningSettings: ['conversation', 'export interface ReasoningSettings {\n'],
  TextPart: ['conversation', "export interface TextPart {\n  kind: 'text'\n"],
  MediaPart: ['conversation', "export interface MediaPart {\n  kind: 'media'\n"],
  ReasoningPart: ['conversation', "export interface ReasoningPart {\n  kind: 'reasoning'\n"],
  CallPart: ['conversation', "export interface CallPart {\n  kind: 'call'\n"],
  ResultPart: ['conversation', "export interface ResultPart {\n  kind: 'result'\n"],
  RefusalPart: ['conversation', "export interface RefusalPart {\n  kind: 'refusal'\n"],
  NativePart: ['conversation', "export interface NativePart {\n  kind: 'native'\n"],
  FunctionTool: ['conversation', "      kind: 'function'\n"],
  CustomTool: ['conversation', "      kind: 'custom'\n"],
  WebSearchTool: ['conversation', "      kind: 'web-search'\n"],
  ConversationRequest: ['conversation', 'export interface ConversationRequest {\n'],
  ToolPolicy: ['conversation', 'export interface ToolPolicy {\n'],
  NativeTool: ['conversation', "  | { kind: 'native'; dialect: Dialect; "],
  Turn: ['conversation', 'export interface Turn {\n'],
  Instruction: ['conversation', 'export interface Instruction {\n'],
  Finish: ['conversation', 'export interface Finish {\n'],
  Citation: ['marks', 'export interface Citation {\n'],
  Opaque: ['marks', 'export interface Opaque {\n'],
  CacheMark: ['marks', 'export interface CacheMark {\n'],
  TokenLogprob: ['marks', 'export interface TokenLogprob {\n'],
  Choice: ['conversation', 'export interface Choice {\n'],
  ConversationResponse: ['conversation', 'export interface ConversationResponse {\n'],
  'start event': ['conversation-event', "{ kind: 'start'; "],
  'open event': ['conversation-event', "{ kind: 'open'; "],
  'delta event': ['conversation-event', "{ kind: 'delta'; "],
  'close event': ['conversation-event', "{ kind: 'close'; "],
  'usage event': ['conversation-event', "{ kind: 'usage'; "],
  'finish event': ['conversation-event', "{ kind: 'finish'; "],
  'end event': ['conversation-event', "{ kind: 'end'; "],
  'error event': ['conversation-event', "{ kind: 'error'; "],
  'text head': ['conversation-event', "{ kind: 'text'; "],
  'refusal head': ['conversation-event', 'phase?: Phase }\n  | { '],
  'reasoning head': ['conversation-event', "{ kind: 'reasoning'; "],
  'call head': ['conversation-event', "{ kind: 'call'; "],
  'media head': ['conversation-event', "{ kind: 'media'; "],
  'native head': ['conversation-event', "{ kind: 'native'; "],
  delta: ['conversation-event', 'export type Delta =\n  | { '],
} as const satisfies Record<string, readonly [CanonicalFile, string]>
type Planted = keyof typeof plants

/** A written thing, the types that it consists of, and the files that write it. */
interface Written {
  planted: readonly Planted[]
  writers: Record<Dialect, RegExp>
  /** Types whose fields a dialect never writes. */
  absent: Partial<Record<Dialect, readonly Planted[]>>
}

const openai = 'server/protocols/openai'
const responses = `${openai}/responses`
const messages = 'server/protocols/anthropic/messages'
const gemini = 'server/protocols/gemini/generate-content'
const files = (folder: string, names: string) => new RegExp(`^${folder}/(${names})[^/]*$`)

const written = {
  request: {
    planted: [
      ...(['Sampling', 'Output', 'ReasoningSettings', 'TextPart', 'MediaPart', 'ReasoningPart', 'CallPart', 'ResultPart'] as const),
      ...(['RefusalPart', 'NativePart', 'FunctionTool', 'CustomTool', 'WebSearchTool', 'NativeTool', 'ToolPolicy'] as const),
      ...(['ConversationRequest', 'Turn', 'Instruction'] as const),
    ],
    writers: {
      chat: files(openai, 'chat/request-write|chat/reasoning|sampling'),
      completions: files(openai, 'completions/request-write|sampling'),
      responses: files(responses, 'request-write|reasoning'),
      messages: files(messages, 'request-write'),
      gemini: files(gemini, 'request-write'),
    },
    absent: {
      // Only requests of its own dialect are written as Completions, and those have none of these.
      completions: [
        ...(['ReasoningSettings', 'MediaPart', 'ReasoningPart', 'CallPart', 'ResultPart', 'RefusalPart', 'NativePart'] as const),
        ...(['FunctionTool', 'CustomTool', 'WebSearchTool', 'NativeTool', 'ToolPolicy'] as const),
      ],
    },
  },
  answer: {
    planted: [
      ...(['ConversationResponse', 'Choice', 'TextPart', 'Citation', 'ReasoningPart', 'CallPart', 'MediaPart'] as const),
      ...(['RefusalPart', 'NativePart', 'Finish'] as const),
    ],
    writers: {
      chat: files(openai, 'chat/response-write|chat/reasoning|chat/citations|chat/finish'),
      completions: files(openai, 'completions/response-write|completions/finish'),
      responses: files(responses, 'response-write|citations|finish'),
      messages: files(messages, 'response-write|citations|finish'),
      gemini: files(gemini, 'response-write|citations|finish'),
    },
    // A text has no place for these: they are lost whole.
    absent: { completions: ['Citation', 'ReasoningPart', 'CallPart', 'MediaPart'] },
  },
  stream: {
    planted: [
      ...(['start event', 'open event', 'delta event', 'close event', 'usage event', 'finish event', 'end event'] as const),
      ...(['error event', 'text head', 'refusal head', 'reasoning head', 'call head', 'media head', 'native head', 'delta'] as const),
    ],
    writers: {
      // They share all events.
      chat: files(openai, 'chat/stream-write|chunk-write'),
      completions: files(openai, 'completions/stream-write|chunk-write'),
      responses: files(responses, 'stream-write'),
      messages: files(messages, 'stream-write'),
      gemini: files(gemini, 'stream-write'),
    },
    absent: { completions: ['reasoning head', 'call head', 'media head'] },
  },
  // What requests, answers and streams attach alike.
  attachment: {
    planted: ['Opaque', 'CacheMark', 'TokenLogprob'],
    writers: {
      chat: files(openai, 'chat/reasoning|chat/request-write-parts|chat/logprobs'),
      completions: files(openai, 'completions/logprobs'),
      responses: files(responses, 'reasoning|request-write-content|response-write-items'),
      messages: files(messages, 'response-write|request-write-context'),
      gemini: files(gemini, 'part|logprobs'),
    },
    absent: {
      // Each of these is lost, or not needed, whole.
      completions: ['Opaque', 'CacheMark'],
      messages: ['TokenLogprob'],
      gemini: ['CacheMark'],
    },
  },
} satisfies Record<string, Written>

/** What becomes the events of a stream, and what these add up to again, between the dialects. */
const betweenDialects: readonly Planted[] = [
  ...(['ConversationResponse', 'Choice', 'TextPart', 'RefusalPart', 'ReasoningPart', 'CallPart', 'MediaPart', 'NativePart'] as const),
  ...written.stream.planted,
]

const cells = Object.entries<Written>(written).flatMap(([what, { planted: types, writers, absent }]) =>
  types.flatMap((planted) =>
    dialects
      .filter((dialect) => !absent[dialect]?.includes(planted))
      .map((dialect) => ({ what, planted, dialect, writers: writers[dialect] })),
  ),
)

/** The name of a planted field, which no other has. */
const nameOf = (planted: Planted) => `minP_${planted.replace(' ', '_')}`

const folders: string[] = []
let errors: string[]

beforeAll(async () => {
  errors = await compiled(withPlants)
}, 60_000)

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** The lines of the compiler about a copy of the sources; `change` is made to the canonical files of the copy. */
async function compiled(change: (source: string, file: CanonicalFile) => string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-exhaustive-'))
  folders.push(folder)
  const isSource = (path: string) => !/fixtures|\.test\.ts$|\.txt$/.test(path)
  for (const room of ['server/canonical', 'server/protocols', 'server/wire', 'shared'])
    cpSync(join(root, room), join(folder, room), { recursive: true, filter: isSource })
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(root, file), join(folder, file))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const name of ['conversation', 'conversation-event', 'marks'] as const) {
    const file = join(folder, `server/canonical/${name}.ts`)
    writeFileSync(file, change(readFileSync(file, 'utf8'), name))
  }
  const config = { extends: './tsconfig.json', include: [], files: ['server/protocols/index.ts'] }
  writeFileSync(join(folder, 'tsconfig.writers.json'), JSON.stringify(config))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const run = Bun.spawn([process.execPath, compiler, '-p', 'tsconfig.writers.json', '--pretty', 'false'], { cwd: folder, stdout: 'pipe' })
  const output = await new Response(run.stdout).text()
  await run.exited
  // Details of an error are indented under it.
  const lines = output.split(/\n(?!\s)/)
  return lines.filter((error) => error.includes('error TS')).flatMap(shortened)
}

/** The file of an error and each field that is missing there; any other error as it is. */
function shortened(error: string): string[] {
  const [, file, one, several] =
    /^([^(]+)\([\s\S]*(?:Property '(\w+)' is missing|missing the following properties [\s\S]*: ([\w, ]+)$)/.exec(error) ?? []
  const missing = one ?? several
  return missing === undefined ? [error] : missing.split(', ').map((field) => `${file}: ${field}`)
}

const withPlants = (source: string, file: CanonicalFile) =>
  (Object.keys(plants) as Planted[]).reduce((text, planted) => {
    const [where, behind] = plants[planted]
    if (where !== file) return text
    expect(text.split(behind)).toHaveLength(2)
    return text.replace(behind, `${behind}${nameOf(planted)}?: number; `)
  }, source)

test('without a plant everything compiles', async () => {
  expect(await compiled((source) => source)).toEqual([])
}, 60_000)

test.each(cells)('$what of $dialect: a field of $planted that its writer does not know does not compile', ({ planted, writers }) => {
  const missing = errors.filter((line) => line.endsWith(`: ${nameOf(planted)}`))
  expect(missing.find((line) => writers.test(line)) ?? errors).toBeString()
})

test.each(betweenDialects)('between whole answers and streams: a field of %s that is not named does not compile', (planted) => {
  expect(errors).toContain(`server/canonical/response-events.ts: ${nameOf(planted)}`)
})
