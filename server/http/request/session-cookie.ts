/**
 * Cookies: the session's, whose value is an opaque token; that of a sign-in that still needs the second factor, likewise; and that of a
 * pending sign-in by an identity provider.
 */

/** Seconds: the longest a session can live. */
const sessionAge = 30 * 24 * 3600
/** Seconds that a person may take at the provider. */
const attemptAge = 600

/** `__Host-parley` where the public URL is https, else `parley`. */
export const cookieName = (publicUrl: URL): string => (publicUrl.protocol === 'https:' ? '__Host-parley' : 'parley')
const stepName = (publicUrl: URL) => `${cookieName(publicUrl)}-step`
const attemptName = (publicUrl: URL) => `${cookieName(publicUrl)}-oidc`

/** The session token; undefined when there is none of valid form. Of two cookies with the name the first counts. */
export const readSessionCookie = (request: Request, publicUrl: URL): string | undefined => readToken(request, cookieName(publicUrl))

/** The token of a sign-in that waits for the second factor; undefined when there is none of valid form. */
export const readStepCookie = (request: Request, publicUrl: URL): string | undefined => readToken(request, stepName(publicUrl))

/** The value of `Set-Cookie` that begins such a step. */
export const writeStepCookie = (publicUrl: URL, token: string): string => setCookie(publicUrl, stepName(publicUrl), token, attemptAge)

/** The value of `Set-Cookie` that ends it. */
export const clearStepCookie = (publicUrl: URL): string => setCookie(publicUrl, stepName(publicUrl), '', 0)

/** The value of `Set-Cookie` that starts a session. */
export const writeSessionCookie = (publicUrl: URL, token: string): string => setCookie(publicUrl, cookieName(publicUrl), token, sessionAge)

/** The value of `Set-Cookie` that ends a session. */
export const clearSessionCookie = (publicUrl: URL): string => setCookie(publicUrl, cookieName(publicUrl), '', 0)

/** The state of a pending sign-in; undefined when there is none of valid form. */
export function readAttemptCookie(request: Request, publicUrl: URL): string | undefined {
  const value = readCookie(request, attemptName(publicUrl))
  return value !== undefined && /^[\w-]{1,4096}$/.test(value) ? value : undefined
}

/** The value of `Set-Cookie` for a pending sign-in; `value` is base64url. */
export const writeAttemptCookie = (publicUrl: URL, value: string): string => setCookie(publicUrl, attemptName(publicUrl), value, attemptAge)

/** The value of `Set-Cookie` that clears it. */
export const clearAttemptCookie = (publicUrl: URL): string => setCookie(publicUrl, attemptName(publicUrl), '', 0)

function readToken(request: Request, name: string): string | undefined {
  const value = readCookie(request, name)
  return value !== undefined && /^[0-9a-f]{64}$/.test(value) ? value : undefined
}

function readCookie(request: Request, name: string): string | undefined {
  const prefix = `${name}=`
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
}

function setCookie(publicUrl: URL, name: string, value: string, seconds: number): string {
  const secure = publicUrl.protocol === 'https:' ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}
