/** The registry of wordings, formats that clients use and no channel does, by endpoint. */
import type { Wording, WordingName } from '#canonical/wording'
import { converse, converseStream } from '#protocols/anthropic/converse/client'
import { withInput, writeInteraction } from '#protocols/gemini/interactions/answer'
import { interactionCodec } from '#protocols/gemini/interactions/native/codec'
import { answererIn, interactionIn, readReport, renamed, renamedEvents } from '#protocols/gemini/interactions/native/whole'
import { openInteraction } from '#protocols/gemini/interactions/stream'
import { interaction } from '#protocols/gemini/interactions/wording'
import { readShow, writeShow, writeTags } from '#protocols/ollama/models'
import { chat, embed, embeddings, generate } from '#protocols/ollama/wordings'

const wordings: Readonly<Record<WordingName, Wording>> = {
  'ollama-chat': chat,
  'ollama-generate': generate,
  'ollama-embed': embed,
  'ollama-embeddings': embeddings,
  converse,
  'converse-stream': converseStream,
  interaction,
}

/** The wording of this name. */
export const wordingOf = (name: WordingName): Wording => wordings[name]

/** Models in Ollama's format. */
export const ollamaModels = { readShow, writeShow, writeTags }

/** Stored interactions: whole, with their input, and as the original stream. */
export const interactions = { open: openInteraction, withInput, write: writeInteraction }

/** Interactions that an upstream itself answers and stores. */
export const nativeInteractions = { ...interactionCodec, answererIn, interactionIn, readReport, renamed, renamedEvents }
