/** Status, setup and session. The session cookie is HTTP-only: the client sees only the user. */
import { createSignal } from 'solid-js'
import type { Status } from '#shared/console/model'
import type { FactorMethods, ProviderSignIn, StepNeeded } from '#shared/console/session'
import type { SignedIn, UserRow } from '#shared/console/user'
import { ApiError, callApi } from './http.ts'

/**
 * Whether this browser has signed in before. The cookie cannot be read here, and asking without one is always refused. A
 * wrong guess costs one visit to the sign-in page.
 */
const signedInKey = 'parley.signed-in'
const known = {
  get: () => safely(() => localStorage.getItem(signedInKey) !== null),
  set: (yes: boolean) => safely(() => (yes ? localStorage.setItem(signedInKey, 'yes') : localStorage.removeItem(signedInKey))),
}

const [banner, setBanner] = createSignal('')

const [environment, setEnvironment] = createSignal('')

/** The name of this installation, such as `staging`; empty for none. */
/** The administrators' banner for signed-in users, as of the last session response; empty for none. */
export { banner, environment }

/** A signed-in user; with `mustEnrol` the session is unusable until they have added a second factor. */
export interface Entered {
  user: UserRow
  mustEnrol: boolean
}

function enteredOf({ user, mustEnrol, banner = '' }: SignedIn): Entered {
  setBanner(banner)
  return { user, mustEnrol: mustEnrol === true }
}

/** What the server needs and offers before anybody signs in. Throws ApiError. */
export async function readStatus(): Promise<Status> {
  const status = await callApi<Status>('GET', '/api/status')
  setEnvironment(status.environment ?? '')
  return status
}

/** The signed-in user, or null when there is none. Throws ApiError when the server could not be asked. */
export async function currentUser(): Promise<Entered | null> {
  if (known.get() === false) return null
  try {
    return enteredOf(await callApi<SignedIn>('GET', '/api/session'))
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 401) {
      known.set(false)
      return null
    }
    throw thrown
  }
}

/** The state of a sign-in: complete, or waiting for the second factor. */
export type Entry = Entered | { step: FactorMethods }

/** The server's answer to a sign-in by any method. */
export function entryOf(answer: SignedIn | StepNeeded): Entry {
  if ('secondFactor' in answer) return { step: answer.secondFactor }
  known.set(true)
  return enteredOf(answer)
}

/** Begins a sign-in. Throws ApiError: 401 for a wrong name or password, 429 after too many attempts. */
export const signIn = async (name: string, password: string): Promise<Entry> =>
  entryOf(await callApi<SignedIn | StepNeeded>('POST', '/api/session', { name, password }))

/**
 * Goes to the identity provider, which sends the browser back to `to`, a path of this server; with `link` the identity is added to the
 * signed-in user. A failure comes back as `?sign-in=` in that address. Throws ApiError when the server or the provider does not respond.
 */
export async function beginProviderSignIn(wanted: ProviderSignIn): Promise<void> {
  const { address } = await callApi<{ address: string }>('POST', '/api/session/oidc', wanted)
  known.set(true)
  location.assign(address)
}

/** Ends the session, even if the page is closed meanwhile. Throws ApiError when the server could not be asked. */
export async function signOut(): Promise<void> {
  known.set(false)
  await callApi<void>('DELETE', '/api/session')
}

/** Deletes a user's conversations, drafts and templates from this browser. Never rejects. */
export async function deleteUserData(user: string): Promise<void> {
  safely(() => localStorage.removeItem(`parley.templates.${user}`))
  await new Promise<void>((resolve) => {
    const request = safely(() => indexedDB.deleteDatabase(`parley-${user}`))
    if (!request) return resolve()
    // Blocked by another tab: the browser deletes it once that tab closes the database or is itself closed.
    request.onsuccess = request.onerror = request.onblocked = () => resolve()
  })
}

/** Creates the first administrator and signs in. This response is the only one that contains the key. Throws ApiError. */
export async function setUp(token: string, name: string, password: string): Promise<{ user: UserRow; key: { name: string; key: string } }> {
  const made = await callApi<{ user: UserRow; key: { name: string; key: string } }>('POST', '/api/setup', { token, name, password })
  known.set(true)
  return made
}

/** The result of `work`, or undefined when the browser blocks storage. */
function safely<Answer>(work: () => Answer): Answer | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
