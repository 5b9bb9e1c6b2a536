/** Why a request ended whose signal is aborted. */
import { GatewayError } from '#shared/errors'

export const clientClosed = () => new GatewayError('client_closed_request', 'The client closed the connection.')

/** What ended a request whose signal is aborted: its client, unless the reason is another GatewayError. */
export const endedBy = ({ reason }: AbortSignal): GatewayError => (reason instanceof GatewayError ? reason : clientClosed())
