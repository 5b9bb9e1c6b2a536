/** Passkeys (WebAuthn Level 3) of this site. @simplewebauthn/server creates the options and verifies the browsers' answers. */
import type { PasskeyAnswer, PasskeyCreated } from '#shared/console/session'
import type { FactorRecord } from '#store/accounts/second-factors'
import type { Challenges } from './challenges.ts'

/** The relying party in WebAuthn's terms. */
export interface PasskeySite {
  /** Its host name. */
  id: string
  origin: string
}

/** The user of a passkey. */
export interface PasskeyUser {
  id: string
  name: string
}

/** Loaded when first needed: most installations have no passkeys. */
const load = () => import('@simplewebauthn/server')

/** The site at this URL; undefined where browsers do not offer passkeys: at IP addresses, and over HTTP except on localhost. */
export function passkeySiteAt({ protocol, hostname, origin }: URL): PasskeySite | undefined {
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isNumeric = hostname.startsWith('[') || /^[\d.]+$/.test(hostname)
  return !isNumeric && (protocol === 'https:' || isLocal) ? { id: hostname, origin } : undefined
}

/** Options for a browser to create a passkey that the user does not have yet. */
export async function creationOptions(site: PasskeySite, user: PasskeyUser, known: readonly FactorRecord[], challenge: string) {
  const { generateRegistrationOptions } = await load()
  return generateRegistrationOptions({
    ...{ rpName: 'Parley', rpID: site.id, challenge },
    ...{ userName: user.name, userDisplayName: user.name, userID: new TextEncoder().encode(user.id) },
    attestationType: 'none',
    excludeCredentials: credentials(known),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
}

/** Options for a browser to request a passkey: one of these, or, where `known` is undefined, any. */
export async function requestOptions(site: PasskeySite, known: readonly FactorRecord[] | undefined, challenge: string) {
  const { generateAuthenticationOptions } = await load()
  return generateAuthenticationOptions({
    ...{ rpID: site.id, challenge },
    // Alone it counts as both factors: the device verifies the user.
    userVerification: known === undefined ? 'required' : 'preferred',
    ...(known && { allowCredentials: credentials(known) }),
  })
}

const credentials = (known: readonly FactorRecord[]) =>
  known.flatMap(({ credential, transports }) => (credential === null ? [] : { id: credential, transports: transports ?? [] }))

/** The columns of a new passkey; undefined when the browser's answer is not valid for this site and subject. */
export async function readCreated(site: PasskeySite, challenges: Challenges, subject: string, answer: PasskeyCreated) {
  const { verifyRegistrationResponse } = await load()
  const asked = expecting(challenges, subject)
  const { registrationInfo } = await verifyRegistrationResponse({
    response: answer,
    ...{ expectedOrigin: site.origin, expectedRPID: site.id, requireUserVerification: false },
    expectedChallenge: asked.check,
  }).catch(() => ({ registrationInfo: undefined }))
  if (registrationInfo === undefined || !(await asked.spend())) return undefined
  const { id, publicKey, counter } = registrationInfo.credential
  const transports = answer.response.transports ?? []
  return { credential: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports }
}

/**
 * The new signature counter; undefined when the answer is not this passkey's, for this site and subject. `alone`: without a password
 * before.
 */
export async function readAnswer(
  site: PasskeySite,
  challenges: Challenges,
  { subject, alone }: { subject: string; alone: boolean },
  answer: PasskeyAnswer,
  { credential, publicKey, counter }: FactorRecord,
): Promise<number | undefined> {
  if (credential === null || publicKey === null) return undefined
  const { verifyAuthenticationResponse } = await load()
  const asked = expecting(challenges, subject)
  const result = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: asked.check,
    ...{ expectedOrigin: site.origin, expectedRPID: site.id, requireUserVerification: alone },
    credential: { id: credential, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
  }).catch(() => undefined)
  return result?.verified && (await asked.spend()) ? result.authenticationInfo.newCounter : undefined
}

/** Checks the challenge of an answer, and spends it once the answer was correct. */
function expecting(challenges: Challenges, subject: string) {
  let answered = ''
  return {
    check(challenge: string) {
      answered = challenge
      return challenges.holds(challenge, subject)
    },
    spend: () => challenges.spend(answered),
  }
}
