/** Status, setup and session. The cookie is the server's business; the client only sees the user. */
import type { Status } from '#shared/console/model'
import type { UserRow } from '#shared/console/user'
import { ApiError, callApi } from './http.ts'

/**
 * Whether this browser signed in before. The cookie cannot be read here, and asking without one only earns a refusal; a
 * wrong guess costs one visit to the sign-in page.
 */
const mark = 'parley.signed-in'
const known = {
  get: () => safely(() => localStorage.getItem(mark) !== null),
  set: (yes: boolean) => safely(() => (yes ? localStorage.setItem(mark, 'yes') : localStorage.removeItem(mark))),
}

export const readStatus = () => callApi<Status>('GET', '/api/status')

/** The signed-in user, or null when there is none. */
export async function currentUser(): Promise<UserRow | null> {
  if (known.get() === false) return null
  try {
    return (await callApi<{ user: UserRow }>('GET', '/api/session')).user
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 401) {
      known.set(false)
      return null
    }
    throw thrown
  }
}

export async function signIn(name: string, password: string): Promise<UserRow> {
  const { user } = await callApi<{ user: UserRow }>('POST', '/api/session', { name, password })
  known.set(true)
  return user
}

/** Ends the session, also when the page goes away meanwhile. Throws ApiError when the server could not be asked. */
export async function signOut(): Promise<void> {
  known.set(false)
  await callApi<void>('DELETE', '/api/session')
}

/** Makes the first administrator. The key is answered here and never again. */
export async function setUp(token: string, name: string, password: string): Promise<{ user: UserRow; key: { name: string; key: string } }> {
  const made = await callApi<{ user: UserRow; key: { name: string; key: string } }>('POST', '/api/setup', { token, name, password })
  known.set(true)
  return made
}

/** What `work` answers, or undefined when the browser refuses storage. */
function safely<Answer>(work: () => Answer): Answer | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
