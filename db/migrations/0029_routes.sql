ALTER TABLE "channels" ADD COLUMN "proxy" text;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "tls" jsonb DEFAULT '{}'::jsonb NOT NULL;