/** Completion for bash, zsh and fish, written from the list of commands. */
import type { Command, Flag } from './command.ts'

/** The shells. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Flags that every command takes. */
export const everywhere: Readonly<Record<string, Flag>> = {
  json: { help: 'Print the answer as JSON' },
  url: { value: 'URL', help: 'Address of Parley; else PARLEY_URL' },
  help: { help: 'Show how the command is used', short: 'h' },
}

/** The completion script for the shell. `others`: first words of commands that are not in the list. */
export function completion(shell: Shell, commands: readonly Command[], others: readonly string[]): string {
  const first = [...new Set([...commands.map(({ words }) => words.split(' ')[0] ?? ''), ...others])]
  const second = (word: string) => commands.flatMap(({ words }) => (words.startsWith(`${word} `) ? (words.split(' ')[1] ?? '') : []))
  const flagsOf = ({ flags = {} }: Command) => Object.entries({ ...flags, ...everywhere })
  if (shell === 'fish') return fish()
  const cases = [
    ...first.filter((word) => second(word).length > 0).map((word) => [`'${word}'`, second(word).join(' ')]),
    ...commands.map((command) => [
      `'${command.words} '*`,
      flagsOf(command)
        .map(([name]) => `--${name}`)
        .join(' '),
    ]),
  ]
  const body = cases.map(([pattern, words]) => `    ${pattern}) words='${words}' ;;`).join('\n')
  return shell === 'bash' ? bash() : zsh()

  function bash(): string {
    return `_parley() {
  local words='' line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$line" in
    '') words='${first.join(' ')}' ;;
${body}
    *) case "$line " in
${cases
  .filter(([pattern]) => pattern?.endsWith('*'))
  .map(([pattern, words]) => `    ${pattern}) words='${words}' ;;`)
  .join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _parley parley`
  }

  function zsh(): string {
    return `#compdef parley
_parley() {
  local found line="\${(j: :)words[2,CURRENT-1]}"
  case "$line " in
    ' ') found='${first.join(' ')}' ;;
${cases.map(([pattern, words]) => `    ${pattern?.endsWith('*') ? pattern : `${pattern?.slice(0, -1)} '`}) found='${words}' ;;`).join('\n')}
  esac
  compadd -- \${=found}
}
compdef _parley parley`
  }

  function fish(): string {
    const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`
    const lines = [
      'complete -c parley -f',
      ...first.map((word) => `complete -c parley -n __fish_use_subcommand -a ${word}`),
      ...commands.flatMap((command) => {
        const [one = '', two] = command.words.split(' ')
        const here =
          two === undefined
            ? `__fish_seen_subcommand_from ${one}`
            : `__fish_seen_subcommand_from ${one}; and __fish_seen_subcommand_from ${two}`
        const before = second(one).join(' ')
        const start =
          two === undefined
            ? []
            : [
                `complete -c parley -n ${quoted(`__fish_seen_subcommand_from ${one}; and not __fish_seen_subcommand_from ${before}`)} -a ${two} -d ${quoted(command.help)}`,
              ]
        return [
          ...start,
          ...flagsOf(command).map(([name, flag]) => {
            const values = flag.of ? ` -xa ${quoted(flag.of.join(' '))}` : flag.value === undefined ? '' : ' -r'
            return `complete -c parley -n ${quoted(here)} -l ${name} -d ${quoted(flag.help)}${values}`
          }),
        ]
      }),
    ]
    return lines.join('\n')
  }
}
