/** Stored exchanges as clients see them. Pure, as `stored-exchange.ts`. */
import { conversationWords } from '#protocols/conversations'
import { replayResponse } from '#protocols/index'
import type { Exchange } from '#reasoning-state/stored-conversations'
import type { StoredView } from '#relay/contract/stored'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'

/** As text for the client: JSON, or an event stream. Throws GatewayError `invalid_value` for an item that is not in the list. */
export function shown(exchange: Pick<Exchange, 'items' | 'response'> & { id: string }, view: StoredView): string {
  const { response } = exchange
  if (view.kind === 'whole') return JSON.stringify(response)
  if (view.kind === 'events') return replayResponse(isObject(response) ? response : {}, view.after)
  return JSON.stringify(inputPage(exchange, view))
}

function inputPage(
  { id, items, response }: Parameters<typeof shown>[0],
  { isOldestFirst, after, limit }: Extract<StoredView, { kind: 'input' }>,
) {
  const output = isObject(response) && Array.isArray(response.output) ? response.output.length : 0
  const data = items.slice(0, items.length - output).map((item, index) => conversationWords.shownItem(item, `${id}_item_${index}`))
  if (!isOldestFirst) data.reverse()
  const start = after === undefined ? 0 : data.findIndex((item) => item.id === after) + 1
  if (after !== undefined && start === 0) {
    throw new GatewayError('invalid_value', 'The parameter `after` is not the id of an item in this list.', { param: 'after' })
  }
  const page = data.slice(start, start + limit)
  return {
    object: 'list',
    data: page,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: start + limit < data.length,
  }
}
