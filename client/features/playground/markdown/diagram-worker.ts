/** Draws diagrams: code and colours in, an SVG out; nothing if it cannot be drawn. Without a document, it cannot affect the page. */
import { type RenderOptions, renderMermaidSVG } from 'beautiful-mermaid'
import { plainSource } from './diagram-source.ts'

/** The page loads nothing from elsewhere; an image could not anyway. */
const withoutImports = (svg: string): string => svg.replace(/^\s*@import url\([^)]*\);$/gm, '')

// elkjs mistakes a worker without a document for its own and then lays out nothing; beautiful-mermaid assigns to `self`.
Object.defineProperties(globalThis, { document: { value: {} }, self: { value: self, writable: true } })

self.onmessage = ({ data: { source, colours } }: MessageEvent<{ source: string; colours: RenderOptions }>) => {
  try {
    self.postMessage({ svg: withoutImports(renderMermaidSVG(plainSource(source), { ...colours, font: 'system-ui' })) })
  } catch {
    self.postMessage({})
  }
}
