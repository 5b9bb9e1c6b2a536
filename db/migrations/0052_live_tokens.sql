CREATE TABLE "live_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"used" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "live_tokens_expires" ON "live_tokens" USING btree ("expires_at");