/**
 * User actions on a conversation. Every action names its conversation, so that it still applies when another one is
 * opened meanwhile.
 */
import { untrack } from 'solid-js'
import {
  type Conversation,
  emptyReply,
  hasContent,
  type Message,
  newId,
  type Reply,
  titleFrom,
} from '#client/features/playground/conversation/conversation.ts'
import { costOf, costWithout } from '#client/features/playground/conversation/cost.ts'
import { unstartedId } from '#client/features/playground/conversation/library.ts'
import { chooseBranch } from '#client/features/playground/conversation/thread.ts'
import { laterHalf } from '#client/features/playground/reply/request-body.ts'
import { readRequestByHand } from '#client/features/playground/reply/request-by-hand.ts'
import { failureOf } from '#client/features/playground/reply/run-reply.ts'
import { withLoggedUsage } from '#client/features/playground/reply/running-replies.ts'
import { blankConversation, type ModelTarget, type PlaygroundState } from './playground-state.ts'

/** The actions of the playground. */
export interface Actions {
  /** Stores the draft of a conversation. */
  keepDraft(conversation: string, draft: string): void
  /** Sends the next message of the open conversation and runs its reply. */
  send(text: string): void
  /** Sends a request (JSON text) exactly as it was edited, once; `unnamed` replaces a question that is not text. */
  sendByHand(body: string, unnamed: string): void
  /**
   * Before the first message, and when the model is no longer available: sets group and model. Otherwise opens a new conversation with
   * them, the draft and the settings.
   */
  selectModel(group: string, model: string | null): void
  /** Runs a new version of a reply, with another model when given. */
  regenerate(id: string, of?: ModelTarget): void
  /** Leaves the older half of the questions that a reply was asked with out of its request and of all later ones, and runs it again. */
  trim(id: string): void
  /** Sends again what was left out before this message. */
  sendAll(id: string): void
  /** Sends an edited message as a new branch. */
  edit(id: string, text: string): void
  /** Adds the result of a tool call; when all calls have one, runs the next reply. */
  answerTool(reply: string, callId: string, text: string): void
  /** Opens the branch that contains a message. */
  openBranch(id: string): void
  /** Removes a message and everything below it; the returned function restores them. */
  remove(id: string): () => void
  /** Runs a reply below `parent`, with `id` and the request `byHand` when given; resolves with its final state, never rejects. */
  generateReply(conversation: string, parent: string, of: ModelTarget, id?: string, byHand?: string): Promise<Reply>
  /** Adds a user message below `parent` and opens its branch; returns its id and conversation. */
  addUserMessage(text: string, parent: string | null, of: ModelTarget): { id: string; conversation: string }
}

/** The actions on `playground`. */
export function createActions(playground: PlaygroundState): Actions {
  const { library, replies } = playground
  const threadOf = (id: string) => untrack(() => library.thread(id).thread)
  const patch = (id: string, change: (before: Conversation) => Partial<Conversation>) => {
    const before = untrack(() => library.get(id))
    if (before) library.save({ ...before, ...change(before) })
  }
  const open = (message: Message) =>
    patch(message.conversation, ({ choice }) => ({
      choice: chooseBranch(choice, threadOf(message.conversation).lineage(message.id)),
      updatedAt: Date.now(),
    }))

  /** Removes messages; their cost still counts. */
  const drop = (conversation: string, messages: Message[]) => {
    const cost = costOf(messages)
    if (cost !== null) patch(conversation, ({ deletedCost }) => ({ deletedCost: costOf(messages, deletedCost) ?? cost }))
    library.removeMessages(messages)
  }

  const settle = async (final: Reply): Promise<Reply> => {
    if (final.failure?.code === 'not_signed_in') playground.setLostSession(true)
    const known = await withLoggedUsage(final)
    if (known !== final && threadOf(final.conversation).get(final.id)) library.put([known])
    void playground.refreshUser()
    return known
  }

  const actions: Actions = {
    keepDraft(id, draft) {
      const before = untrack(() => library.get(id)) ?? (id === unstartedId ? blankConversation() : undefined)
      if (before && before.draft !== draft) library.save({ ...before, draft })
    },
    addUserMessage(text, parent, of) {
      const current = playground.conversation()
      const at = Date.now()
      const begins = current.id === unstartedId
      const conversation = begins ? newId() : current.id
      const message: Message = { id: newId(), conversation, parent, at, role: 'user', text }
      const title = current.named || current.title !== '' ? current.title : titleFrom(text)
      library.save({ ...current, ...of, id: conversation, title, draft: '', updatedAt: at, createdAt: begins ? at : current.createdAt })
      if (begins) library.save({ ...current, draft: '' })
      untrack(() => library.thread(conversation))
      library.put([message])
      open(message)
      if (begins) playground.open(conversation)
      return message
    },
    send(text) {
      const of = playground.target()
      if (of === null) return
      const { id, conversation } = actions.addUserMessage(text, playground.path().at(-1)?.id ?? null, of)
      void actions.generateReply(conversation, id, of)
    },
    sendByHand(body, unnamed) {
      const chosen = playground.target()
      if (chosen === null) return
      const { of, question } = readRequestByHand(body, chosen)
      playground.setRawRequest(null)
      const { id, conversation } = actions.addUserMessage(question ?? unnamed, playground.path().at(-1)?.id ?? null, chosen)
      void actions.generateReply(conversation, id, of, newId(), body)
    },
    async generateReply(conversation, parent, of, id = newId(), byHand) {
      const start = { ...emptyReply(conversation, parent, of, Date.now()), id, ...(byHand !== undefined && { byHand: true }) }
      library.put([start])
      open(start)
      try {
        const body = byHand ?? untrack(() => playground.bodyFor(conversation, parent, of))
        return await settle(await replies.start(start, body))
      } catch (thrown) {
        // Only building the body throws: tools or schema are not JSON.
        const failed: Reply = { ...start, state: 'failed', failure: { ...failureOf(thrown), code: 'bad_settings' } }
        library.put([failed])
        return failed
      }
    },
    selectModel(group, model) {
      const { settings, draft } = playground.conversation()
      if (!playground.modelLocked() || playground.modelGone()) return playground.update({ group, model })
      library.save({ ...blankConversation(settings), group, model, draft })
      playground.update({ draft: '' })
      playground.open(null)
    },
    regenerate(id, of) {
      const reply = playground.message(id)
      if (reply?.role !== 'assistant' || reply.parent === null) return
      if (reply.state === 'failed' && !hasContent(reply)) drop(reply.conversation, threadOf(reply.conversation).below(id))
      // A conversation whose model is gone continues with the replacement.
      if (of && (playground.modelGone() || reply.failure?.code === 'model_not_found')) patch(reply.conversation, () => of)
      void actions.generateReply(reply.conversation, reply.parent, of ?? { group: reply.group, model: reply.model })
    },
    trim(id) {
      const reply = playground.message(id)
      if (reply?.role !== 'assistant') return
      const first = laterHalf(threadOf(reply.conversation).lineage(reply.parent))
      if (first === undefined) return
      library.put([{ ...first, begins: true }])
      actions.regenerate(id)
    },
    sendAll(id) {
      const message = playground.message(id)
      if (message?.role === 'user') library.put([{ ...message, begins: false }])
    },
    edit(id, text) {
      const before = playground.message(id)
      const of = playground.target()
      if (before?.role !== 'user' || of === null) return
      const message = actions.addUserMessage(text, before.parent, of)
      void actions.generateReply(message.conversation, message.id, of)
    },
    answerTool(replyId, callId, text) {
      const reply = playground.message(replyId)
      if (reply?.role !== 'assistant') return
      const path = playground.path()
      const results = path.slice(path.findIndex((message) => message.id === replyId) + 1).filter((message) => message.role === 'tool')
      const parent = results.at(-1)?.id ?? replyId
      const result: Message = { id: newId(), conversation: reply.conversation, parent, at: Date.now(), role: 'tool', callId, text }
      library.put([result])
      open(result)
      const answered = new Set([...results.map((message) => message.callId), callId])
      if (!reply.calls.every((call) => answered.has(call.id))) return
      void actions.generateReply(reply.conversation, result.id, { group: reply.group, model: reply.model })
    },
    openBranch(id) {
      const message = playground.message(id)
      if (message) open(message)
    },
    remove(id) {
      const message = playground.message(id)
      const removed = message ? threadOf(message.conversation).below(id) : []
      for (const one of removed) replies.stop(one.id)
      if (!message) return () => undefined
      drop(message.conversation, removed)
      const cost = costOf(removed)
      return () => {
        library.put(removed)
        if (cost !== null) patch(message.conversation, ({ deletedCost }) => ({ deletedCost: costWithout(deletedCost, cost) }))
      }
    },
  }
  return actions
}
