/** Calls to the API of a running Parley as the administrator from the environment. */
import { environment, fail } from '#runtime/process'

/** Parley's address: this URL, else from the environment. */
export function addressOf(url: string | undefined): string {
  const { PARLEY_PUBLIC_URL, PARLEY_HOST = '127.0.0.1', PARLEY_PORT = '3000' } = environment()
  const host = PARLEY_HOST.includes(':') ? `[${PARLEY_HOST}]` : PARLEY_HOST
  const given = url ?? PARLEY_PUBLIC_URL ?? `http://${host}:${PARLEY_PORT}`
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) return fail('The address must begin with http:// or https://.', 2)
  return given.replace(/\/+$/, '')
}

/** Sends a POST request; an error response ends the program with Parley's own message. */
export function post(url: string, body: unknown, cookie = ''): Promise<Response> {
  return ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie !== '' && { cookie }) },
    body: JSON.stringify(body),
  })
}

/** Sends a GET request; an error response ends the program with Parley's own message. */
export const get = (url: string, cookie: string): Promise<Response> => ask(url, { headers: { cookie } })

async function ask(url: string, request: RequestInit): Promise<Response> {
  const answer = await fetch(url, { ...request, redirect: 'manual' }).catch(() => undefined)
  if (!answer) return fail('Parley does not respond at this address. Is it running? Set its address with --url.')
  if (answer.ok) return answer
  const refusal = (await answer.json().catch(() => undefined)) as { error?: { message?: unknown } } | undefined
  return fail(`Parley refused the request with ${answer.status}: ${String(refusal?.error?.message ?? 'no reason given')}`)
}

/** The cookie of a session of the administrator from the environment. Exits when there is none. */
export async function signIn(address: string): Promise<string> {
  const { PARLEY_ADMIN_USER: name, PARLEY_ADMIN_PASSWORD: password } = environment()
  if (!name || !password) return fail('Set PARLEY_ADMIN_USER and PARLEY_ADMIN_PASSWORD: only administrators may do this.')
  const answer = await post(`${address}/api/session`, { name, password })
  if (answer.status === 202)
    return fail('This administrator signs in with a second factor, which programs cannot provide. Use a management key.')
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

/** Ends the session. Never rejects. */
export async function signOut(address: string, cookie: string): Promise<void> {
  await fetch(`${address}/api/session`, { method: 'DELETE', headers: { cookie } }).catch(() => undefined)
}
