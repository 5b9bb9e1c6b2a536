/**
 * Calls to the API of a running Parley as an administrator: with the management key of the environment, else signed in with the name and
 * password of the environment. Every failure is a CommandError.
 */
import { environment } from '#runtime/process'
import { addressOf, CommandError } from './console/api.ts'

/** The API, until it is closed. All but `close` throw CommandError with Parley's own message. */
export interface AdminApi {
  call<Answer>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer>
  /** Ends the session, if one was begun. Never rejects. */
  close(): Promise<void>
}

/** Opens the API at `url`, else at the address from the environment. Throws CommandError, also without credentials. */
export async function openAdminApi(url: string | undefined): Promise<AdminApi> {
  const env = environment()
  const address = addressOf(env, url)
  const key = env.PARLEY_MANAGEMENT_KEY
  const credential: Record<string, string> = key ? { authorization: `Bearer ${key}` } : { cookie: await signIn(address) }
  return {
    call: async (method, path, body) => (await ask(address + path, method, credential, body)).json(),
    async close() {
      if (!key) await fetch(`${address}/api/session`, { method: 'DELETE', headers: credential }).catch(() => undefined)
    },
  }
}

/** The cookie of a session of the administrator from the environment. */
async function signIn(address: string): Promise<string> {
  const { PARLEY_ADMIN_USER: name, PARLEY_ADMIN_PASSWORD: password } = environment()
  if (!name || !password)
    throw new CommandError('Set PARLEY_MANAGEMENT_KEY, or PARLEY_ADMIN_USER and PARLEY_ADMIN_PASSWORD: only administrators may do this.')
  const answer = await ask(`${address}/api/session`, 'POST', {}, { name, password })
  if (answer.status === 202)
    throw new CommandError(
      'This administrator signs in with a second factor, which programs cannot provide. Set PARLEY_MANAGEMENT_KEY instead.',
    )
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

async function ask(url: string, method: string, credential: Record<string, string>, body?: unknown): Promise<Response> {
  const headers = { ...credential, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const sent = { method, headers, redirect: 'manual' as const, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const answer = await fetch(url, sent).catch(() => undefined)
  if (!answer) throw new CommandError('Parley does not respond at this address. Is it running? Set its address with PARLEY_URL or --url.')
  if (answer.ok) return answer
  const refusal = (await answer.json().catch(() => undefined)) as { error?: { message?: unknown } } | undefined
  throw new CommandError(`Parley refused the request with ${answer.status}: ${String(refusal?.error?.message ?? 'no reason given')}`)
}
