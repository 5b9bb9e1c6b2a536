/** A video as OpenAI's clients read it. Further fields of an upstream of this style are kept. */
import type { KeptVideo } from '#canonical/operation/kept-video'

const seconds = (at: Date | null) => at && Math.floor(at.getTime() / 1000)

/** The object `video`. */
export function writeVideo(video: KeptVideo): Record<string, unknown> {
  const { id, model, style, asked, report, from, createdAt, endedAt, expiresAt } = video
  return {
    ...(style === 'openai' && report.said),
    id,
    object: 'video',
    model,
    status: report.state,
    progress: report.progress,
    created_at: seconds(createdAt),
    completed_at: report.state === 'completed' ? (report.said.completed_at ?? seconds(endedAt)) : null,
    expires_at: report.said.expires_at ?? (endedAt && seconds(expiresAt)),
    prompt: asked.prompt,
    seconds: String(report.seconds ?? asked.seconds),
    size: report.said.size ?? asked.size ?? null,
    error: report.error ?? null,
    remixed_from_video_id: from ?? null,
  }
}
