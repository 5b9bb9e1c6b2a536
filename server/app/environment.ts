/** The environment of this instance: what administrators see of it, and what is probably mistyped. */
import type { EnvironmentRow } from '#shared/console/settings'
import { variables } from './config.ts'

/** Every variable, in the order of the table, with its value unless that is a secret. An empty value counts as absent; links of the documentation are removed. */
export function environmentRows(env: Record<string, string | undefined>): EnvironmentRow[] {
  return variables.map(({ name, shown, meaning, secret }) => {
    const text = env[name] ?? ''
    const plain = (words: string) => words.replaceAll('`', '').replace(/; \[[^\]]*\]\([^)]*\)/g, '')
    return { name, meaning: plain(meaning), default: plain(shown), set: text !== '', value: text === '' || secret ? null : text }
  })
}

/** A variable that Parley does not read, and the one whose name differs from it by one slip. */
export interface Mistyped {
  name: string
  meant: string
}

const prefix = 'PARLEY_'

/** Those that begin with `PARLEY_` and are not set under the right name, too. */
export function mistyped(env: Readonly<Record<string, string | undefined>>): Mistyped[] {
  const names = variables.map(({ name }) => name)
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !names.includes(name))
    .flatMap((name) => {
      const meant = names.find((one) => name === prefix + one || isOneSlip(name, one))
      return meant === undefined || env[meant] !== undefined ? [] : [{ name, meant }]
    })
}

/** Whether one letter is missing, added or another one, or two neighbours are swapped. */
function isOneSlip(typed: string, name: string): boolean {
  let at = 0
  while (at < typed.length && typed[at] === name[at]) at++
  const [rest, meant] = [typed.slice(at), name.slice(at)]
  if (rest.slice(1) === meant || rest === meant.slice(1) || rest.slice(1) === meant.slice(1)) return true
  return rest.length > 1 && rest[0] === meant[1] && rest[1] === meant[0] && rest.slice(2) === meant.slice(2)
}
