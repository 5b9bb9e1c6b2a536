/** The session cookie. Its value is an opaque session token; any other value counts as not signed in. */

/** Lifetime of the cookie in seconds, which is the longest a session can live. */
const maxAge = 30 * 24 * 3600

/** `__Host-parley` where the public URL is https, else `parley`. */
export const cookieName = (publicUrl: URL): string => (publicUrl.protocol === 'https:' ? '__Host-parley' : 'parley')

/** The session token; undefined when there is none of valid form. Of two cookies with the name the first counts. */
export function readSessionCookie(request: Request, publicUrl: URL): string | undefined {
  const prefix = `${cookieName(publicUrl)}=`
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
  return value !== undefined && /^[0-9a-f]{64}$/.test(value) ? value : undefined
}

/** The value of `Set-Cookie` that starts a session. */
export const writeSessionCookie = (publicUrl: URL, token: string): string => setCookie(publicUrl, token, maxAge)

/** The value of `Set-Cookie` that ends a session. */
export const clearSessionCookie = (publicUrl: URL): string => setCookie(publicUrl, '', 0)

function setCookie(publicUrl: URL, value: string, seconds: number): string {
  const secure = publicUrl.protocol === 'https:' ? '; Secure' : ''
  return `${cookieName(publicUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}
