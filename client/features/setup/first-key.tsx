import { createSignal } from 'solid-js'
import { announce } from '#client/ui/announcer.tsx'
import { Button } from '#client/ui/button.tsx'
import { copyText } from '#client/ui/clipboard.ts'
import { t } from './messages.ts'

/** Shows the administrator's first API key, which can be read only now, and a first request with it. */
export function FirstKey(props: { name: string; secret: string; onDone(): void }) {
  const [copied, setCopied] = createSignal('')
  const call = () =>
    [
      `curl ${location.origin}/v1/chat/completions \\`,
      `  -H "Authorization: Bearer $API_KEY" \\`,
      `  -H "Content-Type: application/json" \\`,
      `  -d '{"model": "parley-demo", "messages": [{"role": "user", "content": "Hello"}]}'`,
    ].join('\n')
  const copy = async (what: string, text: string) => {
    if (!(await copyText(text))) return
    setCopied(what)
    announce(t('copied'))
  }
  return (
    <>
      <h1 class="text-[20px]/[28px] tracking-[-0.02em] min-[760px]:text-[24px]/[32px]">{t('keyTitle')}</h1>
      <p class="mt-1 mb-6 max-w-[56ch] text-ink-2">{t('keyIntro')}</p>
      <div class="grid gap-4">
        <div class="field">
          <label for="first-key">{t('key', { name: props.name })}</label>
          <div class="flex gap-2 max-[759px]:flex-col">
            <input
              id="first-key"
              class="in h-10! font-mono"
              readonly
              value={props.secret}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Button size="lg" icon={copied() === 'key' ? 'check' : 'copy'} onClick={() => void copy('key', props.secret)}>
              {copied() === 'key' ? t('copied') : t('copy')}
            </Button>
          </div>
        </div>
        <div class="field">
          <h2 class="text-[13px]/[18px] font-medium">{t('tryIt')}</h2>
          {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
          <pre
            class="overflow-auto rounded-card border border-line bg-code p-3 text-[13px]/[20px]"
            tabindex="0"
            role="region"
            aria-label={t('tryIt')}
          >
            {call()}
          </pre>
          <Button
            size="sm"
            class="justify-self-start"
            icon={copied() === 'call' ? 'check' : 'copy'}
            onClick={() => void copy('call', call())}
          >
            {copied() === 'call' ? t('copied') : t('copyCall')}
          </Button>
        </div>
        <Button look="primary" size="lg" class="mt-2 justify-self-start" onClick={() => props.onDone()}>
          {t('open')}
        </Button>
      </div>
    </>
  )
}
