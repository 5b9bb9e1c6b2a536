/** The environment of this instance, for administrators: every variable, with its value unless that is a secret. */
import type { EnvironmentRow } from '#shared/console/settings'
import { variables } from './config.ts'

/** The rows, in the order of the table of variables. An empty value counts as absent; links of the documentation are removed. */
export function environmentRows(env: Record<string, string | undefined>): EnvironmentRow[] {
  return variables.map(({ name, shown, meaning, secret }) => {
    const text = env[name] ?? ''
    const plain = (words: string) => words.replaceAll('`', '').replace(/; \[[^\]]*\]\([^)]*\)/g, '')
    return { name, meaning: plain(meaning), default: plain(shown), set: text !== '', value: text === '' || secret ? null : text }
  })
}
