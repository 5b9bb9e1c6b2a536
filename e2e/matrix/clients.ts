/**
 * The official SDKs behind a common question and answer, so that the same conversation can be held in every dialect. Each client uses its
 * SDK as users do, keeps the model's turns as received, and hides no fault.
 */
import { aiChat, aiCompatible, aiGemini, aiMessages, aiResponses } from './ai-sdk.ts'
import { anthropic, anthropic0 } from './anthropic.ts'
import type { Client } from './dialogue.ts'
import { google, google2 } from './google.ts'
import { openai6Chat, openaiChat } from './openai-chat.ts'
import { openaiCompletions } from './openai-completions.ts'
import { openai6Responses, openaiResponses } from './openai-responses.ts'

/** By the name of the package, and of its API where it has several. */
export const clients: Readonly<Record<string, Client>> = {
  'openai chat': openaiChat,
  'openai completions': openaiCompletions,
  'openai responses': openaiResponses,
  'openai 6.x chat': openai6Chat,
  'openai 6.x responses': openai6Responses,
  'anthropic 1.x': anthropic,
  'anthropic 0.x': anthropic0,
  'genai 3.x': google,
  'genai 2.x': google2,
  'ai openai chat': aiChat,
  'ai openai-compatible': aiCompatible,
  'ai openai responses': aiResponses,
  'ai anthropic': aiMessages,
  'ai google': aiGemini,
}
