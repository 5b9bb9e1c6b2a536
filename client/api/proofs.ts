/** Proofs of who somebody is: second factors, passkeys, and proving it again. The browser's own part is @simplewebauthn/browser. */
import type { AppRow, FactorGiven, FactorsRow, NewCodes, PasskeyUse, ProofGiven, ProofMethods, StepNeeded } from '#shared/console/session'
import type { SignedIn } from '#shared/console/user'
import { type Entry, entryOf } from './account.ts'
import { ApiError, callApi } from './http.ts'

const load = () => import('@simplewebauthn/browser')

/** Whether this browser has passkeys at this address; `origin` is where they work, as the server's status says. */
export const passkeysHere = (origin: string | undefined): boolean => origin === location.origin && 'PublicKeyCredential' in window

/** Ends a sign-in with a code. Throws ApiError: 401 for a wrong one, or when the sign-in is over. */
export const giveFactor = async (given: FactorGiven): Promise<Entry> =>
  entryOf(await callApi<SignedIn | StepNeeded>('POST', '/api/session/step', given))

/** Ends a sign-in with a passkey of whoever has begun it. Throws ApiError. */
export const givePasskey = async (): Promise<Entry> => giveFactor({ passkey: await askPasskey('step') })

/** Signs in by a passkey that knows its user. Throws ApiError. */
export const signInByPasskey = async (): Promise<Entry> =>
  entryOf(await callApi<SignedIn | StepNeeded>('POST', '/api/session/passkey', { passkey: await askPasskey('sign-in') }))

/** How the signed-in user can prove again who they are. Throws ApiError. */
export const readProofMethods = () => callApi<ProofMethods>('GET', '/api/session/proof')

/** Proves it. Throws ApiError. */
export const prove = (given: ProofGiven) => callApi<void>('POST', '/api/session/proof', given)

/** Proves it with a passkey. Throws ApiError. */
export const proveByPasskey = async () => prove({ passkey: await askPasskey('proof') })

/** The second factors of the signed-in user. Throws ApiError. */
export const readFactors = (signal?: AbortSignal) => callApi<FactorsRow>('GET', '/api/session/factors', undefined, signal)

/** Begins to add an authenticator app. Throws ApiError. */
export const beginApp = (name: string) => callApi<AppRow>('POST', '/api/session/factors/apps', { name })

/** Adds it with a code of it; recovery codes come with the first factor. Throws ApiError. */
export const confirmApp = async (id: string, code: string): Promise<string[]> =>
  (await callApi<NewCodes>('POST', `/api/session/factors/apps/${encodeURIComponent(id)}`, { code })).recoveryCodes

/** Makes a passkey and adds it; recovery codes come with the first factor. Throws ApiError. */
export async function addPasskey(name: string): Promise<string[]> {
  const { startRegistration } = await load()
  const passkey = await fromBrowser(startRegistration({ optionsJSON: await optionsFor('enrolment') }))
  return (await callApi<NewCodes>('POST', '/api/session/factors/passkeys', { name, passkey })).recoveryCodes
}

/** New recovery codes in the place of all others. Throws ApiError. */
export const renewRecoveryCodes = async (): Promise<string[]> =>
  (await callApi<NewCodes>('POST', '/api/session/recovery-codes')).recoveryCodes

async function askPasskey(use: PasskeyUse) {
  const { startAuthentication } = await load()
  return fromBrowser(startAuthentication({ optionsJSON: await optionsFor(use) }))
}

/** What the server wants signed, in the form that the browser takes. */
const optionsFor = async (use: PasskeyUse) =>
  (await callApi<{ options: never }>('POST', '/api/session/passkey-options', { for: use })).options

/** A refusal of the person or the device as an ApiError `passkey_refused`. */
async function fromBrowser<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (thrown) {
    throw thrown instanceof ApiError ? thrown : new ApiError('', { status: 0, code: 'passkey_refused' })
  }
}
