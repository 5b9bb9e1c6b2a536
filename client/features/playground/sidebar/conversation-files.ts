/**
 * Conversations as files. JSON is lossless: importing an export gives the same conversations, branches and figures included,
 * under new ids. Markdown is for reading. A file is checked before anything is stored.
 */
import { isRecord } from '#client/api/http.ts'
import { type Conversation, emptyReply, type Message, newId, type Reply } from '#client/features/playground/conversation/conversation.ts'
import { defaultSettings } from '#client/features/playground/conversation/settings.ts'
import { createThread } from '#client/features/playground/conversation/thread.ts'

/** A conversation with all its messages. */
export interface ConversationEntry {
  conversation: Conversation
  messages: Message[]
}

const form = 'parley-conversations'

/** All entries as one JSON file. */
export const exportJson = (entries: readonly ConversationEntry[]): string =>
  JSON.stringify({ form, version: 1, conversations: entries }, null, 2)

/** The open branch of a conversation as Markdown. */
export function exportMarkdown({ conversation, messages }: ConversationEntry): string {
  const parts = [`# ${conversation.title}`]
  if (conversation.settings.system.trim() !== '') parts.push(`> ${conversation.settings.system.trim().replaceAll('\n', '\n> ')}`)
  for (const message of createThread(messages).path(conversation.choice)) {
    if (message.role === 'user') parts.push(`## You\n\n${message.text}`)
    else if (message.role === 'tool') parts.push(`## Tool\n\n${message.text}`)
    else parts.push(`## ${message.model}\n\n${replyMarkdown(message)}`)
  }
  return `${parts.join('\n\n')}\n`
}

/** The messages of the open branch only, for a shared copy. */
export const openBranch = ({ conversation, messages }: ConversationEntry): Message[] => createThread(messages).path(conversation.choice)

function replyMarkdown(reply: Reply): string {
  const calls = reply.calls.map((call) => `\`\`\`json\n${call.name} ${call.arguments}\n\`\`\``)
  return [reply.text || reply.refusal, ...calls].filter((part) => part !== '').join('\n\n')
}

/** The entries of an exported file, with new ids; undefined when it is not such a file. */
export function importJson(text: string): ConversationEntry[] | undefined {
  const file = parse(text)
  if (!isRecord(file) || file.form !== form || !Array.isArray(file.conversations)) return undefined
  const entries = file.conversations.map(readEntry)
  return entries.every((entry) => entry !== undefined) ? entries.map(withNewIds) : undefined
}

function readEntry(entry: unknown): ConversationEntry | undefined {
  if (!isRecord(entry) || !isRecord(entry.conversation) || !Array.isArray(entry.messages)) return undefined
  const { conversation, messages } = entry
  if (typeof conversation.id !== 'string' || typeof conversation.title !== 'string' || !isRecord(conversation.settings)) return undefined
  const wellFormed = messages.every(
    (message: unknown) =>
      isRecord(message) &&
      typeof message.id === 'string' &&
      (message.parent === null || typeof message.parent === 'string') &&
      typeof message.at === 'number' &&
      typeof message.text === 'string' &&
      (message.role === 'user' ||
        message.role === 'tool' ||
        (message.role === 'assistant' && Array.isArray(message.calls) && isCost(message.cost))),
  )
  if (!wellFormed) return undefined
  const settings = { ...defaultSettings(), ...conversation.settings }
  return {
    conversation: { choice: {}, draft: '', ...conversation, settings } as Conversation,
    messages: (messages as Message[]).map(filled),
  }
}

/** Costs are summed, so a present cost must be a decimal. */
const isCost = (cost: unknown): boolean =>
  cost === undefined || cost === null || (typeof cost === 'string' && /^\d{1,15}(\.\d{1,9})?$/.test(cost))

/** A reply whose missing fields are filled with "not known". */
const filled = (message: Message): Message =>
  message.role === 'assistant'
    ? Object.assign(emptyReply(message.conversation, message.parent, message, message.at), { state: 'complete' }, message)
    : message

/** New ids, so that a file can be imported twice, and beside its originals. */
function withNewIds({ conversation, messages }: ConversationEntry): ConversationEntry {
  const ids = new Map(messages.map((message) => [message.id, newId()]))
  const id = newId()
  const renamed = (old: string) => ids.get(old) ?? old
  return {
    conversation: {
      ...conversation,
      id,
      choice: Object.fromEntries(Object.entries(conversation.choice).map(([key, value]) => [renamed(key), renamed(value)])),
    },
    messages: messages.map((message) => ({
      ...message,
      id: renamed(message.id),
      conversation: id,
      parent: message.parent === null ? null : renamed(message.parent),
    })),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
