/** What can be wrong with a message of HTTP/1.1. */

/** It breaks the grammar or its framing, is beyond a limit, ended too early, or changes the protocol. */
export type HttpFaultCode = 'HTTP_MALFORMED' | 'HTTP_TOO_LARGE' | 'HTTP_INCOMPLETE' | 'HTTP_UNASKED_UPGRADE'

/** A message that is not read on, or not written. Its text repeats nothing of the message. */
export class HttpFault extends Error {
  readonly code: HttpFaultCode

  constructor(code: HttpFaultCode, what: string) {
    super(what)
    this.code = code
  }
}

/** The fault of a message that breaks the grammar. */
export const malformed = (what: string) => new HttpFault('HTTP_MALFORMED', what)
