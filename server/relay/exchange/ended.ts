/** Why a request was aborted. */
import type { AbortSignalLike } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'

/** The error of a request whose client disconnected. */
export const clientClosed = () => new GatewayError('client_closed_request', 'The client closed the connection.')

/** The error of an aborted request: the signal's reason if it is a GatewayError, else that the client disconnected. */
export const endedBy = ({ reason }: AbortSignalLike): GatewayError => (reason instanceof GatewayError ? reason : clientClosed())
