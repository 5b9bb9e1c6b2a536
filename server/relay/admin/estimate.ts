/** Estimates the cost of requests that will be sent later, and whether the payer could afford them (batches, for example). */
import type { Caller } from '#accounts/caller'
import type { Head } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import { conversationCodecs } from '#protocols/index'
import { operationCodecs } from '#protocols/operations'
import type { RelayParts } from '#relay/contract/ask'
import { modelsFor } from '#relay/pipeline/candidates'
import { accountsOf, amountToHold, everyModel } from '#relay/spend/hold'
import { usageRow } from '#relay/spend/usage-row'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { Dialect, Operation, SideOperation, Style, Wire } from '#shared/ids'

/** A request that has not been sent yet. */
export interface Planned {
  caller: Caller
  operation: Extract<Operation, 'generate' | SideOperation>
  dialect: Wire
  raw: string
  /** The part of the URL path that names the model, in dialects that put it there. */
  path?: string
}

/** The hold that the request would need. */
export interface Planning {
  model: string
  /** Nano-dollars. */
  most: bigint
  /** Whether it asks for a stream. */
  stream: boolean
}

export interface Estimate {
  /** Throws GatewayError for a request that cannot be read or is not allowed. */
  of(planned: Planned): Planning
  /**
   * Checks that the wallet and every budget of the caller could cover this much together, now; nothing stays held. The check is recorded as
   * a usage row. Rejects with `insufficient_quota`.
   */
  afford(
    asked: Pick<Planned, 'caller' | 'operation' | 'dialect'> & { requestId: string; batch: string; model: string; most: bigint },
  ): Promise<void>
}

export function createEstimate(parts: RelayParts): Estimate {
  const { clock, books } = parts

  function headOf({ operation, dialect, raw, path }: Planned): Head & { most?: Usage } {
    if (operation === 'generate') return conversationCodecs[dialect as Dialect].readHead(raw, path)
    const codec = operationCodecs[operation][dialect as Style]
    if (!codec || !('readHead' in codec)) throw new GatewayError('unsupported_endpoint', 'No channel can serve this endpoint.')
    return codec.readHead(raw, path)
  }

  return {
    of(planned) {
      const head = headOf(planned)
      const models = modelsFor(parts, planned, head)
      const asked = { head, ...(head.most && { most: head.most }) }
      return { model: head.model, most: amountToHold(asked, everyModel(models), planned.caller.group.ratio), stream: head.stream }
    },
    async afford({ requestId, batch, model, most, ...asked }) {
      const at = new Date(clock.now())
      const tick = clock.monotonic()
      const row = (error?: GatewayError) =>
        usageRow(
          {
            ask: { ...asked, requestId, batch },
            ...{
              at,
              head: { model, stream: false },
              price: undefined,
              served: undefined,
              losses: [],
              attempts: [],
              firstTokenMs: undefined,
            },
            totalMs: clock.monotonic() - tick,
          },
          { end: error ? 'error' : 'complete', status: error?.status ?? 200, error, usage: undefined, cost: 0n },
        )
      try {
        await books.hold(requestId, accountsOf(asked.caller, at.getTime()), most)
      } catch (thrown) {
        const error = asGatewayError(thrown)
        await books.record(row(error))
        throw error
      }
      await books.release(row())
    },
  }
}
