/**
 * The vendors' own SDKs behind one question and one answer, so that the same conversation can be held in every dialect. Each
 * client writes its SDK's types as that SDK's users do, keeps the model's turns as it got them, and hides no fault.
 */
import { chatClient } from './chat-client.ts'
import type { Ask } from './dialogue.ts'
import { geminiClient } from './gemini-client.ts'
import { messagesClient } from './messages-client.ts'
import { responsesClient } from './responses-client.ts'

export const clientNames = ['chat', 'responses', 'messages', 'gemini'] as const
export type ClientName = (typeof clientNames)[number]

export const clients = (url: string, key: string): Record<ClientName, Ask> => ({
  chat: chatClient(url, key),
  responses: responsesClient(url, key),
  messages: messagesClient(url, key),
  gemini: geminiClient(url, key),
})
