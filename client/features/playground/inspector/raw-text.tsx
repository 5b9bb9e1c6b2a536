import { createMemo, For, Index } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import { copyWithNotice } from '#client/features/playground/text/copy-with-notice.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { Button } from '#client/ui/button.tsx'
import { lineCount, partsOf } from './text-parts.ts'

/** Longer text is cut on the screen, never in the copy. */
export const shownChars = 200_000
const linePx = 18

/** Raw text with its header lines, to read and copy. `whole` is the text to copy if `text` is cut. */
export function RawText(props: { label: string; head: string[]; text: string; whole?: () => string }) {
  const parts = createMemo(() => partsOf(props.text.slice(0, shownChars)))
  return (
    <div class="flex min-h-0 flex-1 flex-col">
      <div class="flex items-center gap-2 border-b border-line px-4 py-2">
        <span class="hint flex-1">{props.label}</span>
        <Button look="ghost" size="sm" icon="copy" onClick={() => void copyWithNotice(props.whole?.() ?? props.text)}>
          {t('copy')}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
      <pre class="min-h-0 flex-1 overflow-auto bg-code px-4 py-3 text-[12px]/[18px]" tabindex="0" role="region" aria-label={props.label}>
        <For each={props.head}>{(line) => <span class="text-ink-3">{`${line}\n`}</span>}</For>
        {'\n'}
        <Index each={parts()}>
          {(part) => (
            <span class="raw-part" style={{ 'contain-intrinsic-height': `${lineCount(part()) * linePx}px` }}>
              {revealHiddenCharacters(part())}
            </span>
          )}
        </Index>
      </pre>
    </div>
  )
}
