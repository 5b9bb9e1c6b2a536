/**
 * Conversations that Responses clients create and fill themselves: `/v1/conversations` and below. They are stored here, so
 * that any upstream can continue them; only the key's user sees them.
 */
import type { KeptItem } from '#canonical/kept-conversation'
import { decodeUtf8, type JsonServices, join, readJsonPieces } from '#http/request/read-body'
import { json, jsonText } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { withRoom } from '#http/request/with-room'
import { conversationWords } from '#protocols/conversations'
import { type ItemConversation, type ItemConversations, noConversation } from '#reasoning-state/item-conversations'
import { GatewayError } from '#shared/errors'
import { pageSize } from './page-size.ts'
import { admit, type RelayServices } from './relay-route.ts'

/** What the endpoints of conversations need from the program. */
export interface ConversationServices extends JsonServices, Pick<RelayServices, 'accounts' | 'rooms'> {
  reasoningState: {
    readonly conversations: ItemConversations
    /** Rejects with `quota_exceeded`. */
    demandRoom(tenant: string): Promise<void>
  }
}

const { demandItems, readConversation, writeConversation } = conversationWords

const noItem = () => new GatewayError('not_found', 'There is no item with this id.', { param: 'item_id' })

const written = ({ id, createdAt, metadata }: ItemConversation) =>
  writeConversation({ id, createdAt: Math.floor(createdAt.getTime() / 1000), metadata })

/** The parsed call. Rejects with GatewayError 400, 408, 413 and 415. */
async function readCall({ request }: Visit, services: ConversationServices, tenant: string) {
  const { isLight, pieces } = await withRoom(services.rooms, tenant, (room) => readJsonPieces(request, services, room))
  if (!isLight)
    throw new GatewayError('request_too_large', 'A call may have at most 1 MiB. Add items in several calls, and refer to files by id.')
  return readConversation(decodeUtf8(join(pieces)))
}

const idIn = ({ params }: Visit) => params.id ?? ''

/** The conversation that the address names. Rejects with `not_found`. */
async function named(services: ConversationServices, visit: Visit): Promise<{ tenant: string; conversation: ItemConversation }> {
  const tenant = admit(services, visit).user.id
  const conversation = await services.reasoningState.conversations.find(tenant, idIn(visit))
  if (!conversation) throw noConversation()
  return { tenant, conversation }
}

async function create(services: ConversationServices, visit: Visit): Promise<Response> {
  const tenant = admit(services, visit).user.id
  const { conversations, demandRoom } = services.reasoningState
  const { metadata = {}, items = [] } = await readCall(visit, services, tenant)
  await demandRoom(tenant)
  const made = await conversations.create(tenant, metadata)
  if (items.length > 0) await conversations.append(tenant, made.id, items)
  return json(written(made))
}

async function update(services: ConversationServices, visit: Visit): Promise<Response> {
  const { tenant, conversation } = await named(services, visit)
  const { metadata = conversation.metadata } = await readCall(visit, services, tenant)
  const changed = await services.reasoningState.conversations.change(tenant, conversation.id, metadata)
  if (!changed) throw noConversation()
  return json(written(changed))
}

async function remove(services: ConversationServices, visit: Visit): Promise<Response> {
  const tenant = admit(services, visit).user.id
  if (!(await services.reasoningState.conversations.remove(tenant, idIn(visit)))) throw noConversation()
  return json({ id: idIn(visit), object: 'conversation.deleted', deleted: true })
}

/** A list of items, whose JSON is sent as stored. */
function listed(items: readonly KeptItem[], hasMore: boolean): Response {
  const [first, last] = [items[0], items.at(-1)].map((item) => JSON.stringify(item?.id ?? null))
  const data = items.map(({ json }) => json).join(',')
  return jsonText(`{"object":"list","data":[${data}],"first_id":${first},"last_id":${last},"has_more":${hasMore}}`)
}

async function addItems(services: ConversationServices, visit: Visit): Promise<Response> {
  const { tenant, conversation } = await named(services, visit)
  const items = demandItems(await readCall(visit, services, tenant))
  await services.reasoningState.demandRoom(tenant)
  return listed(await services.reasoningState.conversations.append(tenant, conversation.id, items), false)
}

async function listItems(services: ConversationServices, visit: Visit): Promise<Response> {
  const { tenant, conversation } = await named(services, visit)
  const query = visit.url.searchParams
  const after = query.get('after')
  const page = { isOldestFirst: query.get('order') === 'asc', limit: pageSize(query.get('limit')), ...(after !== null && { after }) }
  const { items, hasMore } = await services.reasoningState.conversations.page(tenant, conversation.id, page)
  return listed(items, hasMore)
}

async function oneItem(services: ConversationServices, visit: Visit): Promise<Response> {
  const { tenant, conversation } = await named(services, visit)
  const item = await services.reasoningState.conversations.item(tenant, conversation.id, visit.params.item ?? '')
  if (!item) throw noItem()
  return jsonText(item.json)
}

async function removeItem(services: ConversationServices, visit: Visit): Promise<Response> {
  const { tenant, conversation } = await named(services, visit)
  if (!(await services.reasoningState.conversations.removeItem(tenant, conversation.id, visit.params.item ?? ''))) throw noItem()
  return json(written(conversation))
}

/** `/v1/conversations` and below. */
export function conversationRoutes(services: ConversationServices): Route[] {
  const at = '/v1/conversations/:id'
  const route = (
    method: Route['method'],
    path: string,
    handle: (services: ConversationServices, visit: Visit) => Promise<Response>,
  ): Route => ({
    ...{ method, path, envelope: 'chat', slow: method === 'POST' },
    handle: (visit) => handle(services, visit),
  })
  return [
    route('POST', '/v1/conversations', create),
    route('GET', at, async (_, visit) => json(written((await named(services, visit)).conversation))),
    route('POST', at, update),
    route('DELETE', at, remove),
    route('POST', `${at}/items`, addItems),
    route('GET', `${at}/items`, listItems),
    route('GET', `${at}/items/:item`, oneItem),
    route('DELETE', `${at}/items/:item`, removeItem),
  ]
}
