/** What the environment of this instance says, for administrators: every variable, and what it is set to unless that is a secret. */
import type { EnvironmentRow } from '#shared/console/settings'
import { variables } from './config.ts'

/** Variables whose value nobody may read back: they hold passwords, keys or tokens. */
const secret = new Set(['DATABASE_URL', 'PARLEY_MASTER_KEY', 'PARLEY_ADMIN_PASSWORD', 'PARLEY_METRICS'])

/** The rows, in the order of the table of variables. An empty value counts as absent. */
export function environmentRows(env: Record<string, string | undefined>): EnvironmentRow[] {
  return variables.map(({ name, shown, meaning }) => {
    const text = env[name] ?? ''
    const plain = (words: string) => words.replaceAll('`', '')
    return { name, meaning: plain(meaning), default: plain(shown), set: text !== '', value: text === '' || secret.has(name) ? null : text }
  })
}
