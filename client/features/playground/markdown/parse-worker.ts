/** Parses long blocks of markdown: `{id, source}` in, `{id, html}` out. */
import { htmlOf } from './parse.ts'

self.onmessage = ({ data: { id, source } }: MessageEvent<{ id: number; source: string }>) => self.postMessage({ id, html: htmlOf(source) })
