/** Origin of a request, for sessions and the audit trail. */
import type { Visit } from './route.ts'

/** Address, program and id of a request. */
export const originOf = ({ clientAddress, request, requestId }: Visit) => ({
  address: clientAddress,
  agent: request.headers.get('user-agent'),
  requestId,
})
