/** Text that is copied: ids, secrets, code. */
import { createEffect, createSignal, For, on, Show } from 'solid-js'
import { announce } from '#client/ui/announcer.tsx'
import { Button, IconButton } from '#client/ui/button.tsx'
import { copyText, downloadFile } from '#client/ui/copy-and-save.ts'
import { tc } from './messages.ts'

/** Copies the text, and confirms it for two seconds, or until the text changes. */
function createCopied(text: () => string): [copied: () => boolean, copy: () => Promise<boolean>] {
  const [copied, setCopied] = createSignal(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  createEffect(on(text, () => setCopied(false), { defer: true }))
  return [
    copied,
    async () => {
      if (!(await copyText(text()))) return false
      setCopied(true)
      announce(tc('copied'))
      clearTimeout(timer)
      timer = setTimeout(() => setCopied(false), 2_000)
      return true
    },
  ]
}

/** An icon button that copies `text`. */
export function CopyButton(props: { text: string; what: string }) {
  const [copied, copy] = createCopied(() => props.text)
  return (
    <IconButton
      name={copied() ? 'check' : 'copy'}
      label={copied() ? tc('copied') : tc('copyWhat', { what: props.what })}
      onClick={() => void copy()}
    />
  )
}

/** An id with a copy button. `what`: what it identifies. */
export function CopyId(props: { id: string; what: string }) {
  return (
    <span class="inline-flex min-w-0 items-center gap-0.5">
      <span class="mono truncate text-[12px] text-ink-3">{props.id}</span>
      <CopyButton text={props.id} what={props.what} />
    </span>
  )
}

/** A secret that is shown once: in full, with copy and download. */
export function Secret(props: { label: string; text: string; file: string; fileText: string; onTaken(): void }) {
  const [copied, copy] = createCopied(() => props.text)
  return (
    <div class="secret">
      <textarea readonly rows={1} aria-label={props.label} value={props.text} onFocus={(event) => event.currentTarget.select()} />
      <Button
        look="primary"
        size="sm"
        icon={copied() ? 'check' : 'copy'}
        ref={(button) => requestAnimationFrame(() => button.focus())}
        onClick={() => void copy().then((done) => done && props.onTaken())}
      >
        {copied() ? tc('copied') : tc('copy')}
      </Button>
      <Button
        look="ghost"
        size="sm"
        icon="download"
        onClick={() => {
          downloadFile(props.file, props.fileText)
          props.onTaken()
        }}
      >
        {props.file}
      </Button>
    </div>
  )
}

/** A code sample in several languages, of which one is shown. */
export function CodeSample(props: { label: string; samples: readonly { id: string; label: string; text: string }[] }) {
  const [chosen, setChosen] = createSignal(0)
  const sample = () => props.samples[chosen()] ?? props.samples[0]
  return (
    <Show when={sample()}>
      {(shown) => (
        <div class="code-sample">
          <header>
            <div class="flex min-w-0 flex-1 gap-1 overflow-x-auto">
              <For each={props.samples}>
                {(one, at) => (
                  <button type="button" aria-pressed={at() === chosen()} onClick={() => setChosen(at())}>
                    {one.label}
                  </button>
                )}
              </For>
            </div>
            <CopyButton text={shown().text} what={shown().label} />
          </header>
          {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
          <pre tabindex="0" role="region" aria-label={`${props.label}: ${shown().label}`}>
            {shown().text}
          </pre>
        </div>
      )}
    </Show>
  )
}
