/** Errors of HTTP/1.1 messages. */

/** Invalid grammar or framing, over a limit, ended too early, or an unrequested change of protocol. */
export type HttpFaultCode = 'HTTP_MALFORMED' | 'HTTP_TOO_LARGE' | 'HTTP_INCOMPLETE' | 'HTTP_UNASKED_UPGRADE'

/** An HTTP message that cannot be read or written. The error's text repeats nothing of it. */
export class HttpFault extends Error {
  readonly code: HttpFaultCode

  constructor(code: HttpFaultCode, what: string) {
    super(what)
    this.code = code
  }
}

/** The fault of a message that breaks the grammar. */
export const malformed = (what: string) => new HttpFault('HTTP_MALFORMED', what)
