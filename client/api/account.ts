/** Status, setup and session. The cookie is the server's business; the client only sees the user. */
import type { Status } from '#shared/console/model'
import type { UserRow } from '#shared/console/user'
import { ApiError, callApi } from './http.ts'

export const readStatus = () => callApi<Status>('GET', '/api/status')

/** The signed-in user, or null when there is none. */
export async function currentUser(): Promise<UserRow | null> {
  try {
    return (await callApi<{ user: UserRow }>('GET', '/api/session')).user
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 401) return null
    throw thrown
  }
}

export const signIn = async (name: string, password: string): Promise<UserRow> =>
  (await callApi<{ user: UserRow }>('POST', '/api/session', { name, password })).user

export const signOut = () => callApi<void>('DELETE', '/api/session')

/** Makes the first administrator. The key is answered here and never again. */
export const setUp = (token: string, name: string, password: string) =>
  callApi<{ user: UserRow; key: { name: string; key: string } }>('POST', '/api/setup', { token, name, password })
