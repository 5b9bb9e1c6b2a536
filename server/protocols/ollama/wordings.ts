/** Converts the endpoints of Ollama to OpenAI's dialects. */
import type { Wording } from '#canonical/wording'
import { chatShape, generateShape, openLines, writeWhole } from './chat-answer.ts'
import { readChat, readGenerate } from './chat-request.ts'
import { readComparable } from './comparable-answer.ts'

export { embed, embeddings } from './embed.ts'

/** `/api/chat`. */
export const chat: Wording = {
  readRequest: readChat,
  readComparable,
  writeAnswer: (body, context) => writeWhole(body, context, chatShape),
  openStream: (context) => openLines(context, chatShape),
}

/** `/api/generate`. */
export const generate: Wording = {
  readRequest: readGenerate,
  readComparable,
  writeAnswer: (body, context) => writeWhole(body, context, generateShape),
  openStream: (context) => openLines(context, generateShape),
}
