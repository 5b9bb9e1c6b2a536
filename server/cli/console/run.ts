/** The commands that control a running Parley over its API: finds the command, parses its flags, prints its result. */
import { parseArgs } from 'node:util'
import { FileFault } from '#runtime/small-file'
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

/** First words of the commands in files of their own. */
const others = ['route', 'db', 'books', 'ready', 'completion', 'help']

/** Whether the first word of a command line belongs here. */
export const isConsoleCommand = (word: string | undefined): boolean =>
  word === 'completion' || word === 'help' || word === '--help' || word === '-h' || commandsOf(word).length > 0

const commandsOf = (first: string | undefined) => commands.filter(({ words }) => words.split(' ')[0] === first)

/** Runs the command line; resolves to its exit code: 0 done, 1 refused or unreachable, 2 usage error, 3 where a plan differs. */
export async function runConsoleCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal)
  } catch (thrown) {
    if (!(thrown instanceof CommandError || thrown instanceof FileFault)) throw thrown
    terminal.error(thrown instanceof FileFault ? `parley: ${thrown.message}.` : `parley: ${thrown.message}`)
    return thrown instanceof FileFault ? 1 : thrown.code
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first = '', second = ''] = args
  if (first === 'help' || first === '--help' || first === '-h') return print(terminal, helpAbout(args.slice(1)))
  if (first === 'completion') {
    const shell = shells.find((one) => one === second)
    if (shell === undefined) throw new CommandError(`Usage: parley completion ${shells.join('|')}`, 2)
    return print(terminal, completion(shell, commands, others))
  }
  const command = commands.find(({ words }) => words === `${first} ${second}`) ?? commands.find(({ words }) => words === first)
  if (command === undefined) {
    if (second === '--help') return print(terminal, helpAbout([first]))
    if (second === '') return print(terminal, helpAbout([first]), 2)
    throw noCommand([first, second])
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

/** The help of everything, of what begins with this word, or of one command. Throws CommandError. */
function helpAbout(words: readonly string[]): string {
  if (words.length === 0) return helpOf(commands)
  const one = commands.find((command) => command.words === words.join(' '))
  const near = commandsOf(words[0])
  if (one !== undefined && near.length === 1) return usageOf(one)
  if (words.length === 1 && near.length > 0) return helpOf(near)
  if (one === undefined) throw noCommand(words)
  return usageOf(one)
}

function noCommand(words: readonly string[]): CommandError {
  const near = commandsOf(words[0]).map((command) => command.words)
  const others = near.length > 0 ? `There are: ${near.join(', ')}.` : '`parley help` lists them.'
  return new CommandError(`There is no command ${words.join(' ')}. ${others}`, 2)
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
    Object.entries(known).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short !== undefined && { short }) },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({ args: negatives(args, known), options, allowPositionals: true })
    const given = Object.entries(values).map(([name, value]) => [name, value === true ? '' : String(value)] as const)
    for (const [name, value] of given) demandKnown(name, value, known[name])
    return {
      values: { ...Object.fromEntries(given), help: values.help === true } as Record<string, string | undefined> & { help: boolean },
      positionals,
    }
  } catch (thrown) {
    if (thrown instanceof CommandError) throw thrown
    const why = thrown instanceof Error ? (thrown.message.split('. ')[0] ?? '') : ''
    throw new CommandError(`${why}. See: parley ${words} --help`, 2)
  }
}

/** Refuses a word that is not one of the flag's. */
function demandKnown(name: string, given: string, { of, value = '' }: Flag = { help: '' }): void {
  if (of === undefined) return
  const words = value.includes(',') ? given.split(',').map((word) => word.trim()) : [given]
  if (!words.every((word) => of.includes(word))) throw new CommandError(`--${name} takes one of ${of.join(', ')}.`, 2)
}

/** Negative amounts are values, not flags: `--priority -3`, `users credit ann -5` are read as they look. */
function negatives(args: readonly string[], known: Readonly<Record<string, Flag>>): string[] {
  const flags: string[] = []
  const words: string[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ''
    const next = args[at + 1]
    if (word === '--') {
      words.push(...args.slice(at + 1))
      break
    }
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
