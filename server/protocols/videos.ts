/** Readers of upstream videos, by style. */
import type { VideoReader } from '#canonical/operation/video'
import { videoReader as gemini } from '#protocols/gemini/videos/codec'
import { extendedIn, withVideo, writeOperation } from '#protocols/gemini/videos/operation'
import { nestedTexts } from '#protocols/openai/form'
import { videoReader as openai } from '#protocols/openai/videos/codec'
import { writeVideo } from '#protocols/openai/videos/video'

/** Styles of upstreams that make videos. */
export type VideoStyle = 'openai' | 'gemini'

export const videoReaders: Readonly<Record<VideoStyle, VideoReader>> = { openai, gemini }

export { extendedIn, nestedTexts, withVideo, writeOperation, writeVideo }
