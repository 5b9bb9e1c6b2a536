/** `agent setup` and `doctor`: coding agents on the local machine. They use an API key, in PARLEY_KEY. */
import { type AgentName, agentNames, agents, type Part, type Post } from '../agents/agents.ts'
import { type Check, examine } from '../agents/doctor.ts'
import { takenBack, written } from '../agents/edit.ts'
import { CommandError } from './api.ts'
import { type Command, type Input, type Output, table } from './command.ts'

/** The previous content, and what was written: stored beside the file, for undoing. */
interface Record {
  text: string | null
  part: Part
}
const recordOf = (path: string) => `${path}.before-parley`

function agentNamed(word: string | undefined): AgentName {
  const name = agentNames.find((one) => one === word)
  if (name === undefined) throw new CommandError(`There is no agent ${word}. There are: ${agentNames.join(', ')}.`, 2)
  return name
}

function keyOf({ env }: Input): string {
  const key = env.PARLEY_KEY
  if (!key) throw new CommandError('Set PARLEY_KEY to an API key: page Keys.', 2)
  return key
}

function modelOf({ flags }: Input): string {
  if (!flags.model) throw new CommandError('Name a model: --model NAME. `parley doctor` lists them.', 2)
  return flags.model
}

/** Edits a file with a clear refusal, before anything is written. */
function edited(work: () => string | null): string | null {
  try {
    return work()
  } catch (thrown) {
    throw new CommandError(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

async function undo(parts: readonly Part[], { files }: Input): Promise<Output> {
  const done: string[] = []
  for (const { file } of parts) {
    const path = `${files.home}/${file}`
    const record = await recorded(path, files)
    if (record === null) continue
    const now = await files.read(path)
    const text = edited(() => takenBack(record.part, now, record))
    await files.write(path, text)
    await files.write(recordOf(path), null)
    done.push(path)
  }
  return { value: { restored: done }, text: done.length > 0 ? `Taken back: ${done.join(', ')}` : 'Nothing was set up here.' }
}

async function recorded(path: string, files: Input['files']): Promise<Record | null> {
  const text = await files.read(recordOf(path))
  return text === null ? null : (JSON.parse(text) as Record)
}

async function write(parts: readonly Part[], { files }: Input): Promise<string[]> {
  const plans: { path: string; text: string; record: Record }[] = []
  for (const part of parts) {
    const path = `${files.home}/${part.file}`
    const now = await files.read(path)
    const before = await recorded(path, files)
    // A second setup replaces the first, so that undoing restores the state before both.
    const rest = before === null ? now : edited(() => takenBack(before.part, now, before))
    const text = edited(() => written(part, rest)) ?? ''
    plans.push({ path, text, record: { text: before === null ? now : before.text, part } })
  }
  // Nothing is written unless everything can be.
  for (const { path, text, record } of plans) {
    await files.write(recordOf(path), JSON.stringify(record))
    await files.write(path, text)
  }
  return plans.map(({ path }) => path)
}

/** The parts as a person would type them, including the user's own key. */
const shown = (parts: readonly Part[]) => parts.map((part) => `# ~/${part.file}\n${written(part, null)}`).join('\n')

const checkTable = (checks: readonly Check[]) =>
  table<Check>(
    checks,
    [
      ['check', ({ name }) => name],
      ['', ({ state }) => state],
      ['found', ({ found }) => found],
      ['fix', ({ mend }) => mend ?? ''],
    ],
    '',
  )

/** `agent setup`, `doctor`. */
export const agentCommands: readonly Command[] = [
  {
    words: 'agent setup',
    args: ['AGENT'],
    keyless: true,
    flags: {
      model: { value: 'NAME', help: 'The model that it works with' },
      'small-model': { value: 'NAME', help: 'For titles and other small tasks; the same if absent' },
      write: { help: 'Write the files in the home folder instead of printing them' },
      undo: { help: 'Undo --write' },
    },
    help: `Prints or writes what an agent needs to use Parley with the key in PARLEY_KEY: ${agentNames.join(', ')}`,
    async run(input) {
      const agent = agents[agentNamed(input.args[0])]
      if (input.flags.undo !== undefined) return undo(agent.parts({ url: '', key: '', model: '', smallModel: '' }), input)
      const model = modelOf(input)
      const post: Post = { url: input.address, key: keyOf(input), model, smallModel: input.flags['small-model'] ?? model }
      const parts = agent.parts(post)
      const start = agent.start(post)
      if (input.flags.write === undefined) return { value: { files: parts, start }, text: `${shown(parts)}\n# then\n${start.join('\n')}` }
      const paths = await write(parts, input)
      return { value: { written: paths, start }, text: `Written: ${paths.join(', ')}\nThen: ${start.join('\n')}` }
    },
  },
  {
    words: 'doctor',
    args: ['AGENT'],
    keyless: true,
    flags: { model: { value: 'NAME', help: 'The model to use; default: the first that the key has' } },
    help: 'Tests the running Parley as this agent would use it, with the key in PARLEY_KEY, and says what to fix; exit code 1 when something fails',
    async run(input) {
      const { dialect } = agents[agentNamed(input.args[0])]
      const checks = await examine({ url: input.address, key: keyOf(input), dialect, model: input.flags.model })
      return { value: { checks }, text: checkTable(checks), code: checks.some(({ state }) => state === 'fails') ? 1 : 0 }
    },
  },
]
