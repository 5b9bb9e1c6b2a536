/** Second factors, passkeys and re-authentication. The browser side of WebAuthn is @simplewebauthn/browser. */
import type { AppRow, FactorGiven, FactorsRow, NewCodes, PasskeyUse, ProofGiven, ProofMethods, StepNeeded } from '#shared/console/session'
import type { SignedIn } from '#shared/console/user'
import { type Entry, entryOf } from './account.ts'
import { ApiError, callApi } from './http.ts'

const load = () => import('@simplewebauthn/browser')

/** Whether this browser supports passkeys at this address; `origin` is where they work, from the server's status. */
export const passkeysHere = (origin: string | undefined): boolean => origin === location.origin && 'PublicKeyCredential' in window

/** Completes a sign-in with a code. Throws ApiError: 401 for a wrong code or an expired sign-in. */
export const giveFactor = async (given: FactorGiven): Promise<Entry> =>
  entryOf(await callApi<SignedIn | StepNeeded>('POST', '/api/session/step', given))

/** Completes a sign-in with a passkey of the user who started it. Throws ApiError. */
export const givePasskey = async (): Promise<Entry> => giveFactor({ passkey: await askPasskey('step') })

/** Signs in with a discoverable passkey. Throws ApiError. */
export const signInByPasskey = async (): Promise<Entry> =>
  entryOf(await callApi<SignedIn | StepNeeded>('POST', '/api/session/passkey', { passkey: await askPasskey('sign-in') }))

/** How the signed-in user can re-authenticate. Throws ApiError. */
export const readProofMethods = () => callApi<ProofMethods>('GET', '/api/session/proof')

/** Re-authenticates. Throws ApiError. */
export const prove = (given: ProofGiven) => callApi<void>('POST', '/api/session/proof', given)

/** Re-authenticates with a passkey. Throws ApiError. */
export const proveByPasskey = async () => prove({ passkey: await askPasskey('proof') })

/** The second factors of the signed-in user. Throws ApiError. */
export const readFactors = (signal?: AbortSignal) => callApi<FactorsRow>('GET', '/api/session/factors', undefined, signal)

/** Starts adding an authenticator app. Throws ApiError. */
export const beginApp = (name: string) => callApi<AppRow>('POST', '/api/session/factors/apps', { name })

/** Adds the app by one of its codes; the first factor brings recovery codes. Throws ApiError. */
export const confirmApp = async (id: string, code: string): Promise<string[]> =>
  (await callApi<NewCodes>('POST', `/api/session/factors/apps/${encodeURIComponent(id)}`, { code })).recoveryCodes

/** Creates and adds a passkey; the first factor brings recovery codes. Throws ApiError. */
export async function addPasskey(name: string): Promise<string[]> {
  const { startRegistration } = await load()
  const passkey = await fromBrowser(startRegistration({ optionsJSON: await optionsFor('enrolment') }))
  return (await callApi<NewCodes>('POST', '/api/session/factors/passkeys', { name, passkey })).recoveryCodes
}

/** New recovery codes that replace all others. Throws ApiError. */
export const renewRecoveryCodes = async (): Promise<string[]> =>
  (await callApi<NewCodes>('POST', '/api/session/recovery-codes')).recoveryCodes

async function askPasskey(use: PasskeyUse) {
  const { startAuthentication } = await load()
  return fromBrowser(startAuthentication({ optionsJSON: await optionsFor(use) }))
}

/** The server's WebAuthn options, in the browser's format. */
const optionsFor = async (use: PasskeyUse) =>
  (await callApi<{ options: never }>('POST', '/api/session/passkey-options', { for: use })).options

/** Turns a refusal by the user or the device into an ApiError `passkey_refused`. */
async function fromBrowser<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (thrown) {
    throw thrown instanceof ApiError ? thrown : new ApiError('', { status: 0, code: 'passkey_refused' })
  }
}
