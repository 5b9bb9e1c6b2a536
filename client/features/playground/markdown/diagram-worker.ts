/** Draws diagrams: the code and its colours in, an SVG out; nothing for what cannot be drawn. It has no document, so its code can do nothing to the page. */
import { type RenderOptions, renderMermaidSVG } from 'beautiful-mermaid'
import { plainSource } from './diagram-source.ts'

/** The page loads nothing from elsewhere; a picture could not anyway. */
const withoutImports = (svg: string): string => svg.replace(/^\s*@import url\([^)]*\);$/gm, '')

// elkjs takes a worker without a document for its own and lays out nothing for others there; beautiful-mermaid assigns to `self`.
Object.defineProperties(globalThis, { document: { value: {} }, self: { value: self, writable: true } })

self.onmessage = ({ data: { source, colours } }: MessageEvent<{ source: string; colours: RenderOptions }>) => {
  try {
    self.postMessage({ svg: withoutImports(renderMermaidSVG(plainSource(source), { ...colours, font: 'system-ui' })) })
  } catch {
    self.postMessage({})
  }
}
