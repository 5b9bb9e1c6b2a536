/**
 * The registry of operations other than generation, with their styles. Codecs are only reached through this list; routing has the same
 * styles from `shared/ids.ts`.
 */
import type { OperationStyle } from '#canonical/operation/operation'
import { embeddingCodec as geminiEmbeddings } from '#protocols/gemini/embeddings/codec'
import { predictEmbeddings } from '#protocols/gemini/embeddings/predict'
import { imagesCodec as geminiImages } from '#protocols/gemini/images/codec'
import { geminiSpeech } from '#protocols/gemini/speech/codec'
import { videoCodec as geminiVideos } from '#protocols/gemini/videos/codec'
import { deepgramSpeech, deepgramTranscripts } from '#protocols/openai/audio/deepgram'
import { elevenlabsSpeech, elevenlabsTranscripts } from '#protocols/openai/audio/elevenlabs'
import { speakCodec } from '#protocols/openai/audio/speak'
import { transcribeCodec } from '#protocols/openai/audio/transcribe'
import { withModel as embeddingsWithModel, embeddingCodec as openaiEmbeddings } from '#protocols/openai/embeddings/codec'
import { voyageEmbeddings } from '#protocols/openai/embeddings/voyage'
import { readError } from '#protocols/openai/error'
import { imagesCodec as openaiImages } from '#protocols/openai/images/codec'
import { replicateImages } from '#protocols/openai/images/replicate'
import { defaultModerationModel, moderationCodec, withModerationModel } from '#protocols/openai/moderations/codec'
import { searchCodec } from '#protocols/openai/search/codec'
import { videoCodec as openaiVideos } from '#protocols/openai/videos/codec'
import { cohereRerank } from '#protocols/rerank/cohere'
import { jinaRerank } from '#protocols/rerank/jina'
import { voyageRerank } from '#protocols/rerank/voyage'
import type { SideOperation, Style } from '#shared/ids'

/** The codecs of every other operation, by the style of its requests. */
export const operationCodecs: Record<SideOperation, Partial<Record<Style, OperationStyle>>> = {
  embed: { openai: openaiEmbeddings, gemini: geminiEmbeddings, voyage: voyageEmbeddings, vertex: predictEmbeddings },
  image: { openai: openaiImages, gemini: geminiImages, replicate: replicateImages },
  video: { openai: openaiVideos, gemini: geminiVideos },
  transcribe: { openai: transcribeCodec, elevenlabs: elevenlabsTranscripts, deepgram: deepgramTranscripts },
  speak: { openai: speakCodec, gemini: geminiSpeech, elevenlabs: elevenlabsSpeech, deepgram: deepgramSpeech },
  rerank: { jina: { ...jinaRerank, readError }, cohere: { ...cohereRerank, readError }, voyage: { ...voyageRerank, readError } },
  moderate: { openai: moderationCodec },
  search: { openai: searchCodec },
}

/** A JSON body with the endpoint's model: the one in its path (`engine`), or the default if the body names none (`default`). */
export const withModel = (text: string, { rule, name }: { rule: 'engine' | 'default'; name: string }): string =>
  rule === 'engine' ? embeddingsWithModel(text, name) : withModerationModel(text, name)

export { defaultModerationModel }
