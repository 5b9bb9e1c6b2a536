import { createEffect, createMemo, createSignal, on, onCleanup, Show, Suspense } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { announce } from '#client/ui/announcer.tsx'
import { Button, IconButton } from '#client/ui/button.tsx'
import { copyText, downloadFile } from '#client/ui/copy-and-save.ts'
import { later, whenIdle } from '#client/ui/later.ts'
import { keepNodes, takeNodes } from './kept-nodes.ts'

const Diagram = later(async () => (await import('./diagram.tsx')).Diagram)

const foldAfter = 40

/**
 * A code block with its language, copy, wrap and download. Highlighted once it is complete, and folded when long. While open,
 * only new text is appended.
 */
export function CodeBlock(props: { language: string; code: string; open: boolean }) {
  const [wrapped, setWrapped] = createSignal(false)
  const [unfolded, setUnfolded] = createSignal(false)
  const [copied, setCopied] = createSignal(false)
  const [isDrawn, setDrawn] = createSignal(false)
  const name = () => props.language || t('plainCode')
  const lines = createMemo(() => props.code.split('\n').length)
  const folded = () => !props.open && lines() > foldAfter && !unfolded()

  // The copied text is no longer the one shown.
  createEffect(
    on(
      () => props.code,
      () => setCopied(false),
      { defer: true },
    ),
  )
  const copy = async () => {
    if (!(await copyText(props.code))) return
    setCopied(true)
    announce(t('copied'))
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <div class="cb">
      <header>
        <span class="flex-1">{name()}</span>
        <Show when={!props.open}>
          <Show when={props.language === 'mermaid'}>
            <Button look="ghost" size="sm" aria-pressed={isDrawn()} onClick={() => setDrawn(!isDrawn())}>
              {t('asDiagram')}
            </Button>
          </Show>
          <IconButton name="wrap" small label={t('wrapLines')} aria-pressed={wrapped()} onClick={() => setWrapped(!wrapped())} />
          <IconButton
            name="download"
            small
            label={t('downloadCode')}
            onClick={() => downloadFile(`code.${extension(props.language)}`, props.code)}
          />
          <IconButton
            name={copied() ? 'check' : 'copy'}
            small
            label={copied() ? t('copied') : t('copyCode', { language: name() })}
            onClick={() => void copy()}
          />
        </Show>
      </header>
      <Suspense>
        <Show when={isDrawn() && !props.open}>
          <Diagram code={props.code} />
        </Show>
      </Suspense>
      {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
      <pre tabindex="0" role="region" aria-label={t('codeIn', { language: name() })} classList={{ wrapped: wrapped(), folded: folded() }}>
        <Code {...props} />
      </pre>
      <Show when={folded()}>
        <Button look="ghost" size="sm" class="w-full rounded-none!" onClick={() => setUnfolded(true)}>
          {t('showAllLines', { count: lines() })}
        </Button>
      </Show>
    </div>
  )
}

function Code(props: { language: string; code: string; open: boolean }) {
  let place: HTMLElement | undefined
  const text = document.createTextNode('')
  let alive = true
  /** The cache key of the coloured text; undefined while it has no colours. */
  let coloured: string | undefined
  onCleanup(() => {
    alive = false
    if (coloured !== undefined && place) keepNodes(coloured, place)
  })
  const put = (key: string, nodes: DocumentFragment) => {
    place?.replaceChildren(nodes)
    coloured = key
  }
  createEffect(() => {
    const { language, code, open } = props
    const key = `code ${language}\n${code}`
    coloured = undefined
    const kept = open ? undefined : takeNodes(key)
    if (kept) return put(key, kept)
    const shown = revealHiddenCharacters(code)
    if (shown.startsWith(text.data)) text.appendData(shown.slice(text.data.length))
    else text.data = shown
    if (open) return
    const colour = async () => {
      const [{ highlight }, { renderSpans }] = await Promise.all([import('#client/ui/code/highlight.ts'), import('./render.ts')])
      const html = alive ? await highlight(shown, language) : undefined
      if (html !== undefined && alive && !props.open) put(key, renderSpans(html))
    }
    // Offline, the code stays plain.
    onCleanup(whenIdle(() => void colour().catch(() => undefined), 1_000))
  })
  return (
    <code ref={place}>
      {text}
      <Show when={props.open}>
        <span class="caret" aria-hidden="true" />
      </Show>
    </code>
  )
}

const extensions: Record<string, string> = {
  javascript: 'js',
  typescript: 'ts',
  python: 'py',
  bash: 'sh',
  shell: 'sh',
  rust: 'rs',
  markdown: 'md',
}
const extension = (language: string): string => extensions[language] ?? (/^[a-z0-9]{1,10}$/i.test(language) ? language : 'txt')
