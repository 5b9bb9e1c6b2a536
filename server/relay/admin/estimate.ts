/** What requests may cost before they are asked, and whether whoever pays could carry it: for work that is begun long before it is paid. */
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

/** A request that is not asked yet. */
export interface Planned {
  caller: Caller
  operation: Extract<Operation, 'generate' | SideOperation>
  dialect: Wire
  /** Its body. */
  raw: string
  /** What its address says, in the dialects whose addresses name the model. */
  path?: string
}

/** What it would hold. */
export interface Planning {
  model: string
  /** Nano-dollars. */
  most: bigint
  /** It asks for a stream. */
  stream: boolean
}

/** Plans requests. */
export interface Estimate {
  /** Throws GatewayError for what cannot be read or may not be asked. */
  of(planned: Planned): Planning
  /**
   * Whether the wallet and every budget of the caller could carry this much together, now; nothing stays held. A row of the log says so.
   * Rejects with `insufficient_quota`.
   */
  afford(
    asked: Pick<Planned, 'caller' | 'operation' | 'dialect'> & { requestId: string; batch: string; model: string; most: bigint },
  ): Promise<void>
}

/** Estimates over what the relay knows. */
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
