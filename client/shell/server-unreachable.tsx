import { Brand } from '#client/ui/brand.tsx'
import { Button } from '#client/ui/button.tsx'
import { language } from '#client/ui/language.ts'

const texts = {
  en: { title: 'The server is not responding', detail: 'It may still be starting, or your connection is down.', retry: 'Try again' },
  zh: { title: '服务器没有响应', detail: '它可能仍在启动，或你的网络已断开。', retry: '重试' },
}

/** Shown when the first request to the server gets no response. `onRetry` asks again. */
export function ServerUnreachable(props: { onRetry(): void }) {
  const text = () => texts[language()]
  return (
    <main class="grid min-h-dvh content-center justify-items-start gap-3 bg-surface px-[max(20px,calc(50vw-170px))]">
      <Brand />
      <h1 class="mt-4 text-[20px]/[28px]">{text().title}</h1>
      <p class="text-ink-2">{text().detail}</p>
      <Button look="primary" onClick={() => props.onRetry()}>
        {text().retry}
      </Button>
    </main>
  )
}
