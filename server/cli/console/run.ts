/** The commands that steer a running Parley over its API: finds the command, reads its flags, prints what it answers. */
import { parseArgs } from 'node:util'
import { accountCommands } from './accounts-commands.ts'
import { agentCommands } from './agent-commands.ts'
import { addressOf, CommandError, openApi } from './api.ts'
import { catalogueCommands } from './catalogue-commands.ts'
import type { Command, Flag, Input } from './command.ts'
import { completion, everywhere, shells } from './completion.ts'
import { configCommands } from './config-commands.ts'
import { importCommands } from './import-commands.ts'
import { peopleCommands } from './people-commands.ts'
import { replayCommands } from './replay-commands.ts'
import { requestCommands } from './request-commands.ts'
import { sellingCommands } from './selling-commands.ts'
import { teamCommands } from './team-commands.ts'
import { usageCommands } from './usage-commands.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ...accountCommands,
  ...teamCommands,
  ...peopleCommands,
  ...catalogueCommands,
  ...usageCommands,
  ...requestCommands,
  ...sellingCommands,
  ...replayCommands,
  ...configCommands,
  ...importCommands,
  ...agentCommands,
]

/** What a command line reads and prints. */
export interface Terminal {
  env: Input['env']
  out(text: string): void
  error(text: string): void
  readText: Input['readText']
  confirm: Input['confirm']
  files: Input['files']
}

/** First words of the commands that have files of their own. */
const others = ['route', 'db', 'books', 'ready', 'completion', 'help']

/** Whether the first word of a command line belongs here. */
export const isConsoleCommand = (word: string | undefined): boolean =>
  word === 'completion' || word === 'help' || commands.some(({ words }) => words.split(' ')[0] === word)

/** Runs the command line; resolves to its exit code: 0 done, 1 refused or out of reach, 2 wrongly used, 3 where a plan differs. */
export async function runConsoleCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal)
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown
    terminal.error(`parley: ${thrown.message}`)
    return thrown.code
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first = '', second = ''] = args
  if (first === 'help') return print(terminal, helpOf(commands))
  if (first === 'completion') {
    const shell = shells.find((one) => one === second)
    if (shell === undefined) throw new CommandError(`Usage: parley completion ${shells.join('|')}`, 2)
    return print(terminal, completion(shell, commands, others))
  }
  const command = commands.find(({ words }) => words === `${first} ${second}`) ?? commands.find(({ words }) => words === first)
  const near = commands.filter(({ words }) => words.split(' ')[0] === first)
  if (command === undefined) {
    if (args.includes('--help') || second === '') return print(terminal, helpOf(near), second === '' && !args.includes('--help') ? 2 : 0)
    throw new CommandError(`There is no command ${first} ${second}. There are: ${near.map(({ words }) => words).join(', ')}.`, 2)
  }
  const { values, positionals } = read(command, args.slice(command.words.split(' ').length))
  if (values.help) return print(terminal, usageOf(command))
  const names = command.args ?? []
  const needed = names.filter((name) => !name.startsWith('[')).length
  if (positionals.length < needed || positionals.length > names.length) throw new CommandError(`Usage: ${lineOf(command)}`, 2)
  const { json, url, help: _, ...flags } = values
  const output = await command.run({
    api: command.keyless ? unused : openApi(terminal.env, url),
    address: addressOf(terminal.env, url),
    files: terminal.files,
    args: positionals,
    flags,
    ...{ env: terminal.env, confirm: terminal.confirm, readText: terminal.readText },
    say: (text) => (json === undefined ? terminal.out(text) : undefined),
  })
  const text = json === undefined ? output.text : JSON.stringify(output.value, undefined, 2)
  return print(terminal, text, output.code)
}

const never = () => Promise.reject(new Error('this command has no management key'))
const unused: Input['api'] = {
  ...{ call: never, list: never, text: never, page: never },
  // biome-ignore lint/correctness/useYield: it has no lines.
  async *lines() {
    await never()
  },
}

function print({ out }: Terminal, text: string, code = 0): number {
  if (text !== '') out(text)
  return code
}

/** The flags and arguments. A flag without a value is an empty text. Throws CommandError. */
function read({ words, flags = {} }: Command, args: readonly string[]) {
  const known: Readonly<Record<string, Flag>> = { ...flags, ...everywhere }
  const options = Object.fromEntries(
    Object.entries(known).map(([name, flag]) => [name, { type: flag.value === undefined ? ('boolean' as const) : ('string' as const) }]),
  )
  try {
    const { values, positionals } = parseArgs({ args: negatives(args, known), options, allowPositionals: true })
    const given = Object.entries(values).map(([name, value]) => [name, value === true ? '' : String(value)])
    return {
      values: { ...Object.fromEntries(given), help: values.help === true } as Record<string, string | undefined> & { help: boolean },
      positionals,
    }
  } catch (thrown) {
    const why = thrown instanceof Error ? (thrown.message.split('. ')[0] ?? '') : ''
    throw new CommandError(`${why}. See: parley ${words} --help`, 2)
  }
}

/** Negative amounts are values, not flags: `--priority -3`, `users credit ann -5` are read as they look. */
function negatives(args: readonly string[], known: Readonly<Record<string, Flag>>): string[] {
  const flags: string[] = []
  const words: string[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ''
    const next = args[at + 1]
    const takes = word.startsWith('--') && !word.includes('=') && known[word.slice(2)]?.value !== undefined
    if (takes && next !== undefined && /^-\d/.test(next)) flags.push(`${word}=${args[++at]}`)
    else if (takes && next !== undefined) flags.push(word, args[++at] ?? '')
    else if (/^-\d/.test(word) || !word.startsWith('-') || word === '-') words.push(word)
    else flags.push(word)
  }
  return [...flags, '--', ...words]
}

const lineOf = ({ words, args = [] }: Command) => ['parley', words, ...args].join(' ')

/** How one command is used. */
function usageOf(command: Command): string {
  const flags = Object.entries({ ...command.flags, ...everywhere }).map(([name, { value, help }]) => [
    `--${name}${value ? ` ${value}` : ''}`,
    help,
  ])
  const wide = Math.max(...flags.map(([flag = '']) => flag.length))
  return [
    `Usage: ${lineOf(command)} [FLAGS]`,
    '',
    `${command.help}.`,
    '',
    ...flags.map(([flag = '', help]) => `  ${flag.padEnd(wide)}  ${help}`),
  ].join('\n')
}

/** A line for each of the commands, and what they share. */
export function helpOf(some: readonly Command[]): string {
  const lines = some.map((command) => [lineOf(command), command.help] as const)
  const wide = Math.max(...lines.map(([line]) => line.length))
  return [
    ...lines.map(([line, help]) => `${line.padEnd(wide)}  ${help}`),
    '',
    'These call a running Parley at PARLEY_URL (or --url) with the management key in PARLEY_MANAGEMENT_KEY.',
    'Each takes --json and --help. Exit codes: 0 done, 1 refused or out of reach, 2 wrongly used, 3 `config plan` found a difference.',
  ].join('\n')
}
