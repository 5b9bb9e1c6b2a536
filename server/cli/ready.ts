/** `parley ready`: whether a Parley serves requests, for health checks on machines without another client. */
import { environment, exit, fail } from '#runtime/process'
import { addressOf, CommandError } from './console/api.ts'

/** Help text of `parley ready`. */
export const usage = `parley ready [URL]

Asks GET /readyz at the URL, else at PARLEY_HOST and PARLEY_PORT. Exit codes: 0 it serves requests, 1 it does not.`

/** Runs the command and exits. */
export async function ready([url, ...more]: readonly string[]): Promise<void> {
  if (more.length > 0) fail(`Usage: ${usage}`, 2)
  const answer = await fetch(`${given(url ?? here())}/readyz`, { redirect: 'manual' }).catch(() => undefined)
  if (answer?.ok) exit(0)
  fail(answer === undefined ? 'Parley does not respond.' : `Parley is not ready: ${answer.status}`)
}

function given(url: string): string {
  try {
    return addressOf({}, url)
  } catch (thrown) {
    return thrown instanceof CommandError ? fail(thrown.message, thrown.code) : fail(String(thrown))
  }
}

/** The address on this machine, whatever the public URL is. */
function here(): string {
  const { PARLEY_HOST = '127.0.0.1', PARLEY_PORT = '3000' } = environment()
  const host = PARLEY_HOST === '0.0.0.0' ? '127.0.0.1' : PARLEY_HOST === '::' ? '::1' : PARLEY_HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PARLEY_PORT}`
}
